// The differences of a file and an environment, without values.
import type { PresentEntry, PushPlan } from "./push-plan.ts";

export interface Difference {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** What a plan changes, by the keys of the entries. */
export function differenceOf({ set, remove }: PushPlan, entries: readonly PresentEntry[]): Difference {
  const present = new Set(entries.map(({ key }) => key));
  const keys = Object.keys(set).toSorted();
  return {
    added: keys.filter((key) => !present.has(key)),
    changed: keys.filter((key) => present.has(key)),
    removed: remove.toSorted(),
  };
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
