/** Removes undefined members: a member that a generator leaves out has to be absent. */
export function definedMembers(object: object): object {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) if (value !== undefined) members[name] = value;
  return members;
}
