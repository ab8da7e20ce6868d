// A firewall configuration as its owner writes it: how a body is read, and what goes together.
import { CRS_CATEGORIES, MANAGED_SETS } from "../../evaluator/config.ts";
import type { CategorySwitch, Condition, ConditionGroup, ManagedSwitch } from "../../evaluator/config.ts";
import { isHostPattern } from "../../evaluator/request/host-pattern.ts";
import { shownField } from "../../kernel/errors.ts";
import { parseNetwork } from "../../kernel/network/network.ts";
import { readCondition } from "./condition-rules.ts";
import { ECHOED, LIMITS } from "./config-schema.ts";
import type { New, NewAddress, NewRule, StoredShared, WantedConfig } from "./content-rules.ts";
import { readAction, readLogHeaders } from "./mitigation-rules.ts";
import {
  bool,
  choice,
  echoed,
  fault,
  integer,
  isFull,
  list,
  nullable,
  object,
  optional,
  record,
  required,
  text,
} from "./reading-rules.ts";
import type { Read, Reading } from "./reading-rules.ts";

const readId = text({ min: 1, max: 128, pattern: /^[\w.:@#-]+$/, what: "an id of letters, digits and _.:@#-" });
const readName = text({ min: 1, max: LIMITS.nameLength });
const readDescription = nullable(text({ max: LIMITS.descriptionLength }));

export const readGroups = list(
  object<ConditionGroup>({
    conditions: required(list(readCondition, { min: 1, max: LIMITS.conditions, what: "conditions" })),
  }),
  { max: LIMITS.groups, what: "groups" },
);

export const readRule = object<NewRule>({
  id: optional(readId),
  name: required(readName),
  description: optional(readDescription),
  active: required(bool),
  conditionGroup: required(readGroups),
  action: required(readAction),
  valid: echoed,
  validationErrors: echoed,
});

const MIN_BITS = { ipv4: 16, ipv6: 48 } as const;

export const hostPattern: Read<string> = (value, at, reading) => {
  const name = text({ max: 255 })(value, at, reading);
  if (typeof name === "string" && !isHostPattern(name))
    fault(reading, at, "expected a host name, *.name, or * for all");
  return name;
};

/** A network of the size that entries may have. */
const blockable: Read<string> = (value, at, reading) => {
  const given = text({ max: 64 })(value, at, reading);
  if (typeof given !== "string") return given;
  const network = parseNetwork(given);
  if (!network) fault(reading, at, "expected an IPv4 or IPv6 address or network, as 10.0.0.0/16");
  else if (network.bits < MIN_BITS[network.kind]) {
    fault(reading, at, `expected a network of at least /${MIN_BITS[network.kind]}`);
  }
  return given;
};

export const readAddress = object<NewAddress>({
  id: optional(readId),
  hostname: required(hostPattern),
  ip: required(blockable),
  notes: optional(nullable(text({ max: LIMITS.notesLength }))),
  action: required(choice(["deny", "challenge", "log", "bypass"])),
});

const readShared = object<New<StoredShared>>({
  id: optional(readId),
  name: required(readName),
  description: optional(readDescription),
  active: required(bool),
  conditionGroup: required(readGroups),
});

export const readCategory = object<CategorySwitch>({
  active: required(bool),
  action: required(choice(["deny", "log"])),
});

const managedAction = choice(["log", "challenge", "deny"]);

export const readRuleGroups = record(
  object<{ active: boolean; action?: "log" | "challenge" | "deny" }>({
    active: required(bool),
    action: optional(managedAction),
  }),
  { max: LIMITS.ruleGroups, names: /^[\w.-]{1,128}$/, what: "at most 128 letters, digits, `_`, `.` and `-`" },
);

export const readManaged = object<ManagedSwitch>({
  active: required(bool),
  action: optional(managedAction),
  ruleGroups: optional(readRuleGroups),
  updatedAt: echoed,
  userId: echoed,
  username: echoed,
});

function members(names: readonly string[], read: Read<unknown>) {
  return Object.fromEntries(names.map((name) => [name, optional(read)]));
}

/** JSON can write numbers that would come back as null. */
function checkFinite(value: unknown, at: string, reading: Reading): void {
  if (typeof value === "number" && !Number.isFinite(value)) fault(reading, at, "expected a smaller number");
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) checkFinite(member, `${at}.${name}`, reading);
}

const readRulesets: Read<unknown> = (value, at, reading) => {
  if (typeof value !== "object" || value === null) fault(reading, at, "expected an array or an object");
  else checkFinite(value, at, reading);
  return value;
};

/** What a change may say beside what is to be. */
export const TERMS = {
  note: optional(nullable(text({ max: 500 }))),
  expectedVersion: optional(integer(0, Number.MAX_SAFE_INTEGER)),
};

const readConfig = object<WantedConfig>({
  firewallEnabled: required(bool),
  crs: optional(nullable(object(members(CRS_CATEGORIES, readCategory)))),
  managedRules: optional(object(members(MANAGED_SETS, readManaged))),
  rules: optional(list(readRule, { max: LIMITS.rules, what: "rules" })),
  ips: optional(list(readAddress, { max: LIMITS.addresses, what: "entries" })),
  conditions: optional(list(readShared, { max: LIMITS.sharedConditions, what: "shared conditions" })),
  botIdEnabled: optional(bool),
  logHeaders: optional(readLogHeaders),
  ja3Enabled: optional(bool),
  ja4Enabled: optional(bool),
  rulesets: optional(readRulesets),
  ...TERMS,
  ...Object.fromEntries(ECHOED.map((name) => [name, echoed])),
});

type Keyed = { readonly id?: string };

function checkUnique(items: readonly (Keyed | undefined)[], at: string, reading: Reading): void {
  const seen = new Map<string, number>();
  items.forEach((item, index) => {
    if (item?.id === undefined) return;
    const first = seen.get(item.id);
    if (first === undefined) seen.set(item.id, index);
    else fault(reading, `${at}[${index}].id`, `expected an id of its own: ${shownField(at)}[${first}] has the same`);
  });
}

/** As far as it could be read. */
type Grouped = {
  readonly conditionGroup?: readonly ({ readonly conditions?: readonly (Condition | undefined)[] } | undefined)[];
};

/** Notes what `problemOf` says of the shared conditions that an item names. */
export function checkNamed(
  item: Grouped | undefined,
  at: string,
  reading: Reading,
  problemOf: (ids: readonly string[]) => string | null,
): void {
  item?.conditionGroup?.forEach((group, g) =>
    group?.conditions?.forEach((condition, c) => {
      if (condition?.type !== "shared_condition") return;
      const problem = problemOf([condition.value ?? []].flat().map(String).filter(Boolean));
      if (problem) fault(reading, `${at}.conditionGroup[${g}].conditions[${c}].value`, problem);
    }),
  );
}

/** A rule names only shared conditions that there are. */
export function checkSharedNames(
  rule: Grouped | undefined,
  shared: readonly (Keyed | undefined)[],
  at: string,
  reading: Reading,
): void {
  checkNamed(rule, at, reading, (ids) =>
    ids.every((id) => shared.some((one) => one?.id === id)) ? null : "expected ids of this configuration's conditions",
  );
}

/** What must hold of the whole, as far as it could be read. */
function checkWhole(config: Partial<WantedConfig>, at: string, reading: Reading): void {
  const { rules = [], ips = [], conditions = [] } = config;
  checkUnique(rules, `${at}.rules`, reading);
  checkUnique(ips, `${at}.ips`, reading);
  checkUnique(conditions, `${at}.conditions`, reading);
  rules.forEach((rule, index) => checkSharedNames(rule, conditions, `${at}.rules[${index}]`, reading));
  // Rules find shared conditions, and those find no others: nothing can go round in circles.
  conditions.forEach((shared, index) =>
    checkNamed(shared, `${at}.conditions[${index}]`, reading, () => "expected no shared condition inside another"),
  );
}

/** The body of a PUT, with everything that is wrong with it noted. */
export const readWanted: Read<WantedConfig> = (value, at, reading) => {
  const config = readConfig(value, at, reading);
  // Where reading stopped, the rest is as it came.
  if (!isFull(reading)) checkWhole(config ?? {}, at, reading);
  return config;
};
