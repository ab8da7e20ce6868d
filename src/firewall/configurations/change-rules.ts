// The changes that PATCH accepts: parses one, and applies it to a content.
import { CRS_CATEGORIES, MANAGED_SETS } from "../evaluator/config.ts";
import type { CategorySwitch, CrsCategory, ManagedSet, ManagedSwitch } from "../evaluator/config.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import { CHANGE_ACTIONS } from "./change-schema.ts";
import type { ChangeAction } from "./change-schema.ts";
import {
  CHANGE_OPTIONS,
  checkSharedNames,
  parseAddressEntry,
  parseCategory,
  parseManagedSwitch,
  parseRule,
  parseRuleGroups,
} from "./config-rules.ts";
import { LIMITS } from "./config-schema.ts";
import { identified, inOrder, stampSwitch, wholeCrs } from "./content-rules.ts";
import type { Content, NewAddress, NewRule, Stamp, StoredAddress, StoredRule } from "./content-rules.ts";
import { parseLogHeaders } from "./mitigation-rules.ts";
import {
  anything,
  bool,
  choice,
  addError,
  inNameOrder,
  integer,
  newParseContext,
  object,
  optional,
  parseBody,
  throwErrors,
  required,
  text,
} from "./parse-rules.ts";
import type { Parse, ParseContext } from "./parse-rules.ts";

/** A parsed change. An inserted item has its id already, so that applying the change again has the same result. */
export interface Change {
  readonly action: ChangeAction;
  readonly id: string | null;
  readonly value: unknown;
}

interface Action {
  /** Parses the id; null: the action has no id, and one that is sent is ignored. */
  readonly id: Parse<string> | null;
  /** Parses the value; null: the action has no value. */
  readonly value: Parse<unknown> | null;
  /** Gives a new item its id. The change has the same id, so that clients find what they added. */
  readonly prepare?: (value: never) => Item;
  apply(content: Content, change: { readonly id: string; readonly value: never }, stamp: Stamp): Content;
}

type Item = { readonly id: string };

function indexOf(items: readonly Item[], id: string, what: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index >= 0) return index;
  const isEmpty = items.length === 0;
  throw isEmpty ? new ApiError("not_found", `${what} not found: there is none here; check projectId`) : notFound(what);
}

function replaced<T extends Item>(items: readonly T[], value: T, id: string, what: string): readonly T[] {
  const { id: _id, ...rest } = value;
  return items.with(indexOf(items, id, what), { id, ...rest } as unknown as T);
}

function without<T extends Item>(items: readonly T[], id: string, what: string): readonly T[] {
  return items.toSpliced(indexOf(items, id, what), 1);
}

function moved<T extends Item>(items: readonly T[], id: string, to: number): readonly T[] {
  const from = indexOf(items, id, "Rule");
  const target = Math.min(to, items.length - 1);
  return items.toSpliced(from, 1).toSpliced(target, 0, items[from] as T);
}

function withCategory(content: Content, category: CrsCategory, value: CategorySwitch): Content {
  return { ...content, crs: { ...content.crs, [category]: value } };
}

function withManaged(content: Content, set: ManagedSet, value: ManagedSwitch, stamp: Stamp): Content {
  const { managedRules = {} } = content;
  const previous = managedRules[set];
  const ruleGroups = value.ruleGroups ?? previous?.ruleGroups;
  const requested = { ...value, ...(ruleGroups && { ruleGroups }) };
  return { ...content, managedRules: { ...managedRules, [set]: stampSwitch(requested, previous, stamp) } };
}

type Groups = NonNullable<ManagedSwitch["ruleGroups"]>;

/** The rule groups of `owasp` are the categories. */
function withGroups(content: Content, set: ManagedSet, groups: Groups, stamp: Stamp): Content {
  if (set === "owasp") {
    return Object.entries(groups).reduce(
      (result, [name, { active, action = "log" }]) =>
        withCategory(result, name as CrsCategory, { active, action } as CategorySwitch),
      content,
    );
  }
  const { active = false, action, ruleGroups: before } = (content.managedRules?.[set] ?? {}) as Partial<ManagedSwitch>;
  const ruleGroups = Object.fromEntries(inNameOrder({ ...before, ...groups }));
  return withManaged(content, set, { active, ...(action && { action }), ruleGroups }, stamp);
}

const itemId = text({ min: 1, max: 128 });
const category = choice(CRS_CATEGORIES);
const managedSet = choice(MANAGED_SETS);

function toggle(member: "firewallEnabled" | "botIdEnabled" | "ja3Enabled" | "ja4Enabled"): Action {
  return { id: null, value: bool, apply: (content, { value }) => ({ ...content, [member]: value }) };
}

const ACTIONS = {
  firewallEnabled: toggle("firewallEnabled"),
  "rules.insert": {
    id: null,
    value: parseRule,
    prepare: (rule: NewRule) => identified<StoredRule>(rule, "firewallRule"),
    apply: (content, { value }) => ({ ...content, rules: [...content.rules, value] }),
  },
  "rules.update": {
    id: itemId,
    value: parseRule,
    apply: (content, { id, value }) => ({ ...content, rules: replaced(content.rules, value, id, "Rule") }),
  },
  "rules.remove": {
    id: itemId,
    value: null,
    apply: (content, { id }) => ({ ...content, rules: without(content.rules, id, "Rule") }),
  },
  "rules.priority": {
    id: itemId,
    value: integer(0, LIMITS.rules - 1),
    apply: (content, { id, value }) => ({ ...content, rules: moved(content.rules, id, value) }),
  },
  "crs.update": {
    id: category,
    value: parseCategory,
    apply: (content, { id, value }) => withCategory(content, id as CrsCategory, value),
  },
  "crs.disable": { id: null, value: null, apply: (content) => ({ ...content, crs: wholeCrs({}) }) },
  "ip.insert": {
    id: null,
    value: parseAddressEntry,
    prepare: (address: NewAddress) => identified<StoredAddress>(address, "firewallAddress"),
    apply: (content, { value }) => ({ ...content, ips: [...content.ips, value] }),
  },
  "ip.update": {
    id: itemId,
    value: parseAddressEntry,
    apply: (content, { id, value }) => ({ ...content, ips: replaced(content.ips, value, id, "Entry") }),
  },
  "ip.remove": {
    id: itemId,
    value: null,
    apply: (content, { id }) => ({ ...content, ips: without(content.ips, id, "Entry") }),
  },
  "managedRules.update": {
    id: managedSet,
    value: parseManagedSwitch,
    apply: (content, { id, value }, stamp) => withManaged(content, id as ManagedSet, value, stamp),
  },
  "managedRuleGroup.update": {
    id: managedSet,
    value: parseRuleGroups,
    apply: (content, { id, value }, stamp) => withGroups(content, id as ManagedSet, value, stamp),
  },
  "botId.toggle": toggle("botIdEnabled"),
  "logHeaders.update": {
    id: null,
    value: parseLogHeaders,
    apply: (content, { value }) => ({ ...content, logHeaders: value }),
  },
  ja3Enabled: toggle("ja3Enabled"),
  ja4Enabled: toggle("ja4Enabled"),
} as const satisfies Readonly<Record<ChangeAction, Action>>;

function checkGroups(change: Change, at: string, context: ParseContext): void {
  if (change.action !== "managedRuleGroup.update" || change.id !== "owasp") return;
  for (const [name, group] of Object.entries((change.value as Groups | undefined) ?? {})) {
    category(name, `${at}.value.${name}`, context);
    if (group?.action === "challenge")
      addError(context, `${at}.value.${name}.action`, "expected deny or log of a category");
  }
}

/** The body of a PATCH. */
export interface RequestedChange {
  readonly change: Change;
  readonly note?: string | null;
  readonly expectedVersion?: number;
}

const parseChangeBody = object<
  { action: ChangeAction; id?: unknown; value?: unknown } & Omit<RequestedChange, "change">
>({
  action: required(choice(CHANGE_ACTIONS)),
  id: optional(anything),
  value: optional(anything),
  ...CHANGE_OPTIONS,
});

const parseRequestedChange: Parse<RequestedChange> = (body, at, context) => {
  const { action, id, value, ...options } = parseChangeBody(body, at, context) ?? {};
  const spec: Action | undefined = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (!spec) return undefined as never;
  const change: Change = {
    action,
    id: spec.id ? spec.id(id ?? undefined, `${at}.id`, context) : null,
    value: spec.value ? spec.value(value ?? undefined, `${at}.value`, context) : null,
  };
  checkGroups(change, at, context);
  return { change, ...options };
};

/** Parses the body of a PATCH, or a change at another place of a body. Throws `invalid_firewall` with all errors. */
export function parseChange(body: unknown, costLimit: number, at = "body"): RequestedChange {
  const requested = parseBody(parseRequestedChange, body, at, costLimit);
  const { change } = requested;
  const { prepare }: Action = ACTIONS[change.action];
  if (!prepare) return requested;
  const value = prepare(change.value as never);
  return { ...requested, change: { ...change, id: value.id, value } };
}

/** Checks the limits of the configuration that this change can exceed. */
function checkChange({ action, id, value }: Change, before: Content, at: string, context: ParseContext): void {
  if (action === "rules.insert") checkCapacity(before.rules, value as StoredRule, LIMITS.rules, at, context);
  if (action === "ip.insert") checkCapacity(before.ips, value as StoredAddress, LIMITS.addresses, at, context);
  if (action === "rules.insert" || action === "rules.update") {
    checkSharedNames(value as StoredRule, before.conditions ?? [], at, context);
  }
  if (action === "managedRuleGroup.update" && id !== "owasp") {
    const groups = { ...before.managedRules?.[id as ManagedSet]?.ruleGroups, ...(value as Groups) };
    if (Object.keys(groups).length > LIMITS.ruleGroups)
      addError(context, at, `expected at most ${LIMITS.ruleGroups} in all`);
  }
}

function checkCapacity(items: readonly Item[], { id }: Item, max: number, at: string, context: ParseContext): void {
  if (items.length >= max) addError(context, at, `expected at most ${max} in all`);
  if (items.some((item) => item.id === id))
    addError(context, `${at}.id`, "expected an id of its own: another has the same");
}

/** Applies a change. Throws `not_found` for an unknown id and `invalid_firewall` when a limit is exceeded. */
export function applyChange(content: Content, change: Change, stamp: Stamp): Content {
  const { action, id, value } = change;
  // No expressions are parsed here, so the cost limit does not matter.
  const context = newParseContext(0);
  checkChange(change, content, "body.value", context);
  throwErrors(context.errors);
  const spec: Action = ACTIONS[action];
  return inOrder(spec.apply(content, { id: id as string, value: value as never }, stamp));
}
