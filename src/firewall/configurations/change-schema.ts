// The schema of one change of a firewall configuration, in requests and in drafts.
import { Nullable, OneOf } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import type { TSchema } from "typebox";

export const Note = Type.Optional(
  Nullable(Type.String({ maxLength: 500, description: "The reason for the change, for people." })),
);
export const ExpectedVersion = Type.Optional(
  Type.Integer({ minimum: 0, description: "Respond with 409 unless this version is active; 0: no version is active." }),
);

/** The actions of a change. */
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

const CHANGE = {
  action: OneOf(CHANGE_ACTIONS),
  id: Type.Optional(
    Nullable(Type.String({ description: "The id of the rule or entry, or the name of the category or managed set." })),
  ),
  value: Type.Optional(Type.Unsafe({ description: "The value for the action; a rule or an entry is given whole." })),
};

export const ChangeInput = Type.Object(
  { ...CHANGE, note: Note, expectedVersion: ExpectedVersion },
  { title: "FirewallChangeInput", additionalProperties: false },
);

export const Change = Type.Object(CHANGE, {
  title: "FirewallChange",
});

const Active = Type.Object({ active: Type.Literal(true) });
const DenyingRule = Type.Object({
  active: Type.Literal(true),
  action: Type.Object({ mitigate: Type.Object({ action: OneOf(["deny", "challenge"]) }) }),
});
const DenyingEntry = Type.Object({ action: OneOf(["deny", "challenge"]) });
const denies = (value: TSchema, ...actions: readonly ChangeAction[]) => Type.Object({ action: OneOf(actions), value });

/** Changes by which a firewall denies more, and removals. */
export const ProtectiveChange = Type.Union([
  Type.Object({ action: OneOf(["rules.remove", "ip.remove"]) }),
  denies(Type.Literal(true), "firewallEnabled"),
  denies(DenyingRule, "rules.insert", "rules.update"),
  denies(DenyingEntry, "ip.insert", "ip.update"),
  denies(Active, "crs.update", "managedRules.update"),
]);

const holding = (of: TSchema) => Type.Array(Type.Unknown(), { contains: of });

/** Configurations that deny something. */
export const ProtectiveConfig = Type.Intersect([
  Type.Object({ firewallEnabled: Type.Literal(true) }),
  Type.Union([Type.Object({ rules: holding(DenyingRule) }), Type.Object({ ips: holding(DenyingEntry) })]),
]);
