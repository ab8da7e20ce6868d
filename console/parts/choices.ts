// What can be chosen from a list: values, and what people read for them.
import { TEAM_ROLES, roleName } from "../../src/platform/kernel/roles.ts";
import type { TeamRole } from "../../src/platform/kernel/roles.ts";

/** Names that are their own values, names by their values, or both in an order of one's own. */
export type Choices<V extends string = string> =
  | Readonly<Record<V, string>>
  | readonly (V | readonly [value: V, label: string])[];

export type Choice<V extends string = string> = readonly [value: V, label: string];

export function choicesOf<V extends string>(choices: Choices<V>): readonly Choice<V>[] {
  if (!Array.isArray(choices)) return Object.entries(choices) as unknown as readonly Choice<V>[];
  return (choices as readonly (V | Choice<V>)[]).map((one) => (typeof one === "string" ? [one, one] : one));
}

export const ROLE_NAMES: readonly Choice<TeamRole>[] = TEAM_ROLES.map((role) => [role, roleName(role)]);
