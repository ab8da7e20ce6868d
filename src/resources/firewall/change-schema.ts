// One change of a firewall configuration, as it is sent and as a draft shows it.
import { Nullable, OneOf } from "../../kernel/contract.ts";
import { Type } from "typebox";

export const Note = Type.Optional(Nullable(Type.String({ maxLength: 500, description: "Why, for people." })));
export const ExpectedVersion = Type.Optional(
  Type.Integer({ minimum: 0, description: "Refuse with 409 unless this version is active; 0: none is." }),
);

/** What one change may do. */
export const CHANGE_ACTIONS = [
  "firewallEnabled",
  "rules.insert",
  "rules.update",
  "rules.remove",
  "rules.priority",
  "crs.update",
  "crs.disable",
  "ip.insert",
  "ip.update",
  "ip.remove",
  "managedRules.update",
  "managedRuleGroup.update",
  "botId.toggle",
  "logHeaders.update",
  "ja3Enabled",
  "ja4Enabled",
] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** What a change names and takes. */
const CHANGE = {
  action: OneOf(CHANGE_ACTIONS),
  id: Type.Optional(
    Nullable(Type.String({ description: "Of the rule or entry; the name of the category or managed set." })),
  ),
  value: Type.Optional(Type.Unsafe({ description: "What the action takes; a whole rule or entry." })),
};

export const ChangeInput = Type.Object(
  { ...CHANGE, note: Note, expectedVersion: ExpectedVersion },
  { title: "FirewallChangeInput", additionalProperties: false },
);

export const Change = Type.Object(CHANGE, {
  title: "FirewallChange",
});
