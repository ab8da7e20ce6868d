// Names of members that lead to the prototype of an object: in a document they are a trick.

export function isPrototypeName(name: string): boolean {
  return name === "__proto__" || name === "constructor" || name === "prototype";
}
