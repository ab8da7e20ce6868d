// What a change of an environment adds, changes and removes, for people.
import type { Output } from "../client/types.ts";

export type EnvironmentDifference = Output<"changeEnvironments">["environments"][number];

const nameOf = ({ kind, secret }: EnvironmentDifference["added"][number]): string =>
  kind === "value" ? "plain value" : secret?.name ? `secret ${secret.name}` : "new secret";

function describeEntry({ before, after, changes }: EnvironmentDifference["changed"][number]): string {
  if (nameOf(before) !== nameOf(after)) return `${nameOf(before)} -> ${nameOf(after)}`;
  return `${nameOf(after)}: another ${changes.join(" and ")}`;
}

/** Lines of what a change of an environment adds, changes and removes, without values. */
export function describeChange({ added, changed, removed }: EnvironmentDifference): string {
  const lines = [
    ...added.map((entry) => [entry.key, `+ ${entry.key}  ${nameOf(entry)}`]),
    ...changed.map((change) => [change.key, `~ ${change.key}  ${describeEntry(change)}`]),
    ...removed.map((entry) => [entry.key, `- ${entry.key}  ${nameOf(entry)}`]),
  ];
  return lines
    .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))
    .map(([, line]) => line)
    .join("\n");
}
