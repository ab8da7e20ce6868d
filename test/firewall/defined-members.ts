/** The object without the members that are undefined: what a generator leaves out is absent. */
export function definedMembers(object: object): object {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) if (value !== undefined) members[name] = value;
  return members;
}
