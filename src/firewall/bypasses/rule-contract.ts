// Endpoints of the bypass rules of a project: attack challenge mode does not challenge requests that match their conditions.
import { Nullable, defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { ConditionGroup, DOUBTS } from "../configurations/config-schema.ts";
import { PROJECT_LIMIT, PROJECT_QUERY } from "../../platform/kernel/project.ts";
import { Note, PageAfterId } from "./bypass-schema.ts";

const TAG = "Firewall bypasses";
const PATH = "/v1/security/firewall/bypass/rules";
const ALIASES = ["/security/firewall/bypass/rules", "/v1/firewalls/bypass/rules", "/firewalls/bypass/rules"];
const READ = { kind: "owner", permission: "firewall:read" } as const;
const WRITE = { kind: "owner", permission: "firewall:write" } as const;

export const MAX_BYPASS_RULES = 100;
/** Bytes of the conditions as JSON. Events contain them too. */
export const MAX_RULE_BYTES = 10_000;
export const DEFAULT_RULE_LIMIT = 20;
const MAX_RULE_LIMIT = 100;

const Domain = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "A host name, `*.name` for every name below it, or `*` for the whole project.",
});
const SoughtDomain = Type.String({ maxLength: 255, description: "Only the rule of this domain." });

const RuleInput = Type.Object(
  { domain: Domain, conditionGroup: ConditionGroup, note: Type.Optional(Note) },
  { title: "BypassRuleInput", additionalProperties: false },
);

const Actor = (what: string) => Type.String({ description: `The id of the user or API key that ${what}.` });
const Time = Type.String({ description: "ISO 8601" });

const BypassRule = Type.Object(
  {
    id: Type.String({ description: "The project's name, `#` and the domain." }),
    ownerId: Type.String(),
    projectId: Type.String(),
    domain: Type.String({ description: "In lower case." }),
    conditionGroup: ConditionGroup,
    cost: Type.Integer({ description: "The maximum cost per request, as /docs/firewall defines it." }),
    note: Type.String(),
    createdAt: Time,
    createdBy: Actor("added it"),
    updatedAt: Time,
    updatedBy: Actor("last wrote it"),
    ...DOUBTS,
  },
  { title: "BypassRule" },
);

const Written = Type.Object({
  ok: Type.Boolean(),
  result: Type.Array(BypassRule),
  pagination: Nullable(Type.Object({})),
});

export const bypassRulesContract = defineContract({
  listBypassRules: {
    method: "GET",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    summary: "The bypass rules of a project, by domain",
    access: READ,
    limits: PROJECT_LIMIT,
    query: Type.Object({
      ...PROJECT_QUERY,
      domain: Type.Optional(SoughtDomain),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_RULE_LIMIT,
          description: `Rules per page; ${DEFAULT_RULE_LIMIT} by default.`,
        }),
      ),
      offset: Type.Optional(
        Type.String({ maxLength: 512, description: "Rules after this one: `pagination.Id` of the previous page." }),
      ),
    }),
    example: { query: { projectId: "shop" } },
    response: PageAfterId(BypassRule),
    errors: ["invalid_cursor"],
    emits: [],
  },
  addBypassRule: {
    method: "POST",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    gives: "nothing",
    summary: "Add a bypass rule: requests that match its conditions are not challenged",
    description:
      `While attack mode is on, requests for the domain that match one group are not challenged. A domain has at most one ` +
      `rule and a project at most ${MAX_BYPASS_RULES}. Together they may cost as much as a configuration. The groups of a rule ` +
      `have at most ${MAX_RULE_BYTES / 1_000} kB as JSON.`,
    access: WRITE,
    limits: PROJECT_LIMIT,
    query: Type.Object(PROJECT_QUERY),
    body: RuleInput,
    isBodyChecked: true,
    example: {
      query: { projectId: "shop" },
      body: {
        domain: "shop.example.com",
        conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/status" }] }],
        note: "Our own monitoring",
      },
    },
    returns: "The rule that was added.",
    response: Written,
    errors: ["invalid_firewall", "firewall_too_costly", "too_many_bypasses", "bypass_rule_exists"],
    emits: ["firewall-bypass-rule-created"],
  },
  replaceBypassRule: {
    method: "PUT",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    gives: "nothing",
    summary: "Replace the conditions and the note of a domain's bypass rule",
    description: "Without `note` the note is removed. The rule has to exist.",
    access: WRITE,
    limits: PROJECT_LIMIT,
    query: Type.Object(PROJECT_QUERY),
    body: RuleInput,
    isBodyChecked: true,
    example: {
      query: { projectId: "shop" },
      body: {
        domain: "shop.example.com",
        conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/status" }] }],
        note: "Our own monitoring",
      },
    },
    returns: "The rule after the change.",
    response: Written,
    errors: ["invalid_firewall", "firewall_too_costly"],
    emits: ["firewall-bypass-rule-updated"],
  },
  removeBypassRule: {
    method: "DELETE",
    path: PATH,
    aliases: ALIASES,
    tag: TAG,
    gives: "nothing",
    summary: "Remove the bypass rule of a domain",
    description: "The query or the body names the domain.",
    access: WRITE,
    limits: PROJECT_LIMIT,
    query: Type.Object({ ...PROJECT_QUERY, domain: Type.Optional(Domain) }),
    body: Type.Object({ domain: Type.Optional(Domain) }, { additionalProperties: false }),
    isBodyOptional: true,
    example: { query: { projectId: "shop", domain: "shop.example.com" } },
    returns: "The rule was removed.",
    response: Type.Object({ ok: Type.Boolean() }),
    errors: [],
    emits: ["firewall-bypass-rule-deleted"],
  },
});
