// The differences of a file and an environment, without values.
import type { Values } from "./formats.ts";

export interface Difference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What a push of the file would change. */
export function compareValues(present: Values, file: ReadonlyMap<string, string>): Difference {
  const keys = [...file.keys()].toSorted();
  return {
    added: keys.filter((key) => !Object.hasOwn(present, key)),
    changed: keys.filter((key) => Object.hasOwn(present, key) && present[key] !== file.get(key)),
    removed: Object.keys(present)
      .filter((key) => !file.has(key))
      .toSorted(),
  };
}

export function isSame({ added, changed, removed }: Difference): boolean {
  return added.length + changed.length + removed.length === 0;
}

export function describeDifference({ added, changed, removed }: Difference): string {
  const lines = [
    ...added.map((key) => [key, `+ ${key}  only in the file`]),
    ...changed.map((key) => [key, `~ ${key}  another value`]),
    ...removed.map((key) => [key, `- ${key}  not in the file`]),
  ];
  return lines
    .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))
    .map(([, line]) => line)
    .join("\n");
}
