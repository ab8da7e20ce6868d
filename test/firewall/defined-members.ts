/** The object without the members that are undefined: what a generator leaves out is absent. */
export function definedMembers(object: object): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
