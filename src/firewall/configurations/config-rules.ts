// Parses a firewall configuration and checks its members against each other.
import { CRS_CATEGORIES, MANAGED_SETS } from "../evaluator/config.ts";
import type { CategorySwitch, Condition, ConditionGroup, ManagedSwitch } from "../evaluator/config.ts";
import { isHostPattern } from "../evaluator/request/host-pattern.ts";
import { shownField } from "../../platform/kernel/errors.ts";
import { parseNetwork } from "../../platform/kernel/network/network.ts";
import { parseCondition } from "./condition-rules.ts";
import { ECHOED, LIMITS } from "./config-schema.ts";
import type { New, NewAddress, NewRule, StoredShared, RequestedConfig } from "./content-rules.ts";
import { parseAction, parseLogHeaders } from "./mitigation-rules.ts";
import {
  bool,
  choice,
  echoed,
  addError,
  integer,
  hasMaxErrors,
  list,
  nullable,
  object,
  optional,
  record,
  required,
  text,
} from "./parse-rules.ts";
import type { Parse, ParseContext } from "./parse-rules.ts";

const parseId = text({ min: 1, max: 128, pattern: /^[\w.:@#-]+$/, what: "an id of letters, digits and _.:@#-" });
const parseName = text({ min: 1, max: LIMITS.nameLength });
const parseDescription = nullable(text({ max: LIMITS.descriptionLength }));

/** For errors that say that groups are missing. */
export const GROUPS_EXAMPLE = '[{"conditions":[{"type":"path","op":"pre","value":"/admin"}]}]';

export const parseGroups = list(
  object<ConditionGroup>({
    conditions: required(list(parseCondition, { min: 1, max: LIMITS.conditions, what: "conditions" })),
  }),
  { max: LIMITS.groups, what: "groups" },
);

export const parseRule = object<NewRule>({
  id: optional(parseId),
  name: required(parseName),
  description: optional(parseDescription),
  active: required(bool),
  conditionGroup: required(parseGroups, GROUPS_EXAMPLE),
  action: required(parseAction, '{"mitigate":{"action":"deny"}}'),
  valid: echoed,
  validationErrors: echoed,
});

const MIN_BITS = { ipv4: 16, ipv6: 48 } as const;

export const parseHostPattern: Parse<string> = (value, at, context) => {
  const name = text({ max: 255 })(value, at, context);
  if (typeof name === "string" && !isHostPattern(name))
    addError(context, at, "expected a host name, *.name, or * for all");
  return name;
};

/** Parses a network that is not wider than address entries may be. */
const parseNetworkText: Parse<string> = (value, at, context) => {
  const given = text({ max: 64 })(value, at, context);
  if (typeof given !== "string") return given;
  const network = parseNetwork(given);
  if (!network) addError(context, at, "expected an IPv4 or IPv6 address or network, as 10.0.0.0/16");
  else if (network.bits < MIN_BITS[network.kind]) {
    addError(context, at, `expected a network of at least /${MIN_BITS[network.kind]}`);
  }
  return given;
};

export const parseAddressEntry = object<NewAddress>({
  id: optional(parseId),
  hostname: required(parseHostPattern),
  ip: required(parseNetworkText),
  notes: optional(nullable(text({ max: LIMITS.notesLength }))),
  action: required(choice(["deny", "challenge", "log", "bypass"])),
});

const parseSharedCondition = object<New<StoredShared>>({
  id: optional(parseId),
  name: required(parseName),
  description: optional(parseDescription),
  active: required(bool),
  conditionGroup: required(parseGroups, GROUPS_EXAMPLE),
  validationErrors: echoed,
});

export const parseCategory = object<CategorySwitch>({
  active: required(bool),
  action: required(choice(["deny", "log"])),
});

const managedAction = choice(["log", "challenge", "deny"]);

export const parseRuleGroups = record(
  object<{ active: boolean; action?: "log" | "challenge" | "deny" }>({
    active: required(bool),
    action: optional(managedAction),
  }),
  { max: LIMITS.ruleGroups, names: /^[\w.-]{1,128}$/, what: "at most 128 letters, digits, `_`, `.` and `-`" },
);

export const parseManagedSwitch = object<ManagedSwitch>({
  active: required(bool),
  action: optional(managedAction),
  ruleGroups: optional(parseRuleGroups),
  updatedAt: echoed,
  userId: echoed,
  username: echoed,
});

function members(names: readonly string[], read: Parse<unknown>) {
  return Object.fromEntries(names.map((name) => [name, optional(read)]));
}

/** JSON can express numbers, such as 1e999, that would be stored as null. */
function checkFinite(value: unknown, at: string, context: ParseContext): void {
  if (typeof value === "number" && !Number.isFinite(value)) addError(context, at, "expected a smaller number");
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) checkFinite(member, `${at}.${name}`, context);
}

const parseRulesets: Parse<unknown> = (value, at, context) => {
  if (typeof value !== "object" || value === null) addError(context, at, "expected an array or an object");
  else checkFinite(value, at, context);
  return value;
};

/** The members of a request that are about the change and not about the configuration. */
export const CHANGE_OPTIONS = {
  note: optional(nullable(text({ max: 500 }))),
  expectedVersion: optional(integer(0, Number.MAX_SAFE_INTEGER)),
};

const parseMembers = object<RequestedConfig>({
  firewallEnabled: required(bool),
  crs: optional(nullable(object(members(CRS_CATEGORIES, parseCategory)))),
  managedRules: optional(object(members(MANAGED_SETS, parseManagedSwitch))),
  rules: optional(list(parseRule, { max: LIMITS.rules, what: "rules" })),
  ips: optional(list(parseAddressEntry, { max: LIMITS.addresses, what: "entries" })),
  conditions: optional(list(parseSharedCondition, { max: LIMITS.sharedConditions, what: "shared conditions" })),
  botIdEnabled: optional(bool),
  logHeaders: optional(parseLogHeaders),
  ja3Enabled: optional(bool),
  ja4Enabled: optional(bool),
  rulesets: optional(parseRulesets),
  ...CHANGE_OPTIONS,
  ...Object.fromEntries(ECHOED.map((name) => [name, echoed])),
});

type Keyed = { readonly id?: string };

function checkUnique(items: readonly (Keyed | undefined)[], at: string, context: ParseContext): void {
  const seen = new Map<string, number>();
  items.forEach((item, index) => {
    if (item?.id === undefined) return;
    const first = seen.get(item.id);
    if (first === undefined) seen.set(item.id, index);
    else addError(context, `${at}[${index}].id`, `expected an id of its own: ${shownField(at)}[${first}] has the same`);
  });
}

/** An item that may have been parsed only in part. */
type Grouped = {
  readonly conditionGroup?: readonly ({ readonly conditions?: readonly (Condition | undefined)[] } | undefined)[];
};

/** Adds the errors that `problemOf` finds in the item's references to shared conditions. */
export function checkNamed(
  item: Grouped | undefined,
  at: string,
  context: ParseContext,
  problemOf: (ids: readonly string[]) => string | null,
): void {
  item?.conditionGroup?.forEach((group, g) =>
    group?.conditions?.forEach((condition, c) => {
      if (condition?.type !== "shared_condition") return;
      const problem = problemOf([condition.value ?? []].flat().map(String).filter(Boolean));
      if (problem) addError(context, `${at}.conditionGroup[${g}].conditions[${c}].value`, problem);
    }),
  );
}

/** A rule may refer only to shared conditions that exist. */
export function checkSharedNames(
  rule: Grouped | undefined,
  shared: readonly (Keyed | undefined)[],
  at: string,
  context: ParseContext,
): void {
  checkNamed(rule, at, context, (ids) =>
    ids.every((id) => shared.some((one) => one?.id === id)) ? null : "expected ids of this configuration's conditions",
  );
}

/** Checks the configuration as a whole, which may have been parsed only in part. */
function checkWhole(config: Partial<RequestedConfig>, at: string, context: ParseContext): void {
  const { rules = [], ips = [], conditions = [] } = config;
  checkUnique(rules, `${at}.rules`, context);
  checkUnique(ips, `${at}.ips`, context);
  checkUnique(conditions, `${at}.conditions`, context);
  rules.forEach((rule, index) => checkSharedNames(rule, conditions, `${at}.rules[${index}]`, context));
  // Shared conditions cannot refer to others, so there are no cycles.
  conditions.forEach((shared, index) =>
    checkNamed(shared, `${at}.conditions[${index}]`, context, () => "expected no shared condition inside another"),
  );
}

/** Parses the body of a PUT. */
export const parseConfig: Parse<RequestedConfig> = (value, at, context) => {
  const config = parseMembers(value, at, context);
  // When parsing stopped, the rest is unchecked.
  if (!hasMaxErrors(context)) checkWhole(config ?? {}, at, context);
  return config;
};
