// Endpoints of firewall configurations: immutable versions, one of which is active, and a draft.
import { OneOf, Pattern, defineContract } from "../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { Type } from "typebox";
import { PROJECT_LIMIT, PROJECT_QUERY } from "../../platform/kernel/project.ts";
import { ChangeInput, ExpectedVersion, Note, ProtectiveChange, ProtectiveConfig } from "./change-schema.ts";
import { ConfigInput, FirewallConfig, LIMITS } from "./config-schema.ts";

export const FIREWALL_TAG = "Firewall";
const READ = { kind: "owner", permission: "firewall:read" } as const;
const WRITE = { kind: "owner", permission: "firewall:write" } as const;

/** Existing clients call `/v1/security/firewall/config`. Both roots also work without a version. */
const ALIAS_ROOTS = ["/firewalls", "/v1/security/firewall/config", "/security/firewall/config"];

/** The aliases of an endpoint under `/v1/firewalls`. */
export function firewallAliases(rest = ""): readonly string[] {
  return ALIAS_ROOTS.map((root) => root + rest);
}

const VERSION_NUMBER = "[1-9][0-9]{0,14}";
export const VersionName = Pattern(
  `^(?:active|draft|${VERSION_NUMBER})$`,
  "`active`, `draft`, or the number of a version",
);
export const VersionParams = Type.Object({ configVersion: VersionName });
/** Versions are never changed or deleted; only the draft is. */
const DraftParams = Type.Object({ configVersion: OneOf(["draft"]) });
const ProjectOnly = Type.Object(PROJECT_QUERY);

/** A configuration within the limit of bytes cannot have more values, so a PUT can always send back what GET returned. */
const MAX_VALUES = LIMITS.documentBytes / 2;

const CHANGE_ERRORS = ["invalid_firewall", "firewall_too_costly", "version_conflict", "revision_mismatch"] as const;

const Difference = Type.Object(
  {
    kind: OneOf(["added", "removed", "changed", "moved"]),
    part: Type.String({ description: "A member of the configuration." }),
    id: Type.Optional(
      Type.String({
        description: "The id of the rule, entry or shared condition, or the name of the category or managed set.",
      }),
    ),
    before: Type.Optional(Type.Unsafe({ description: "The value in the first configuration." })),
    after: Type.Optional(Type.Unsafe({ description: "The value in the second configuration." })),
    from: Type.Optional(
      Type.Integer({ description: "The position of a moved item in the first configuration, from 0." }),
    ),
    to: Type.Optional(Type.Integer()),
  },
  { title: "FirewallDifference" },
);

const OrNone = Type.Union([FirewallConfig, Type.Null()]);

const EXAMPLE_RULE = {
  name: "Block /admin",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
  action: { mitigate: { action: "deny" } },
};
const CHANGE_EXAMPLE = {
  query: { projectId: "shop" },
  body: { action: "rules.insert", id: null, value: EXAMPLE_RULE },
};

export const firewallContract = defineContract({
  listFirewallConfigs: {
    method: "GET",
    path: "/v1/firewalls",
    aliases: firewallAliases(),
    tag: FIREWALL_TAG,
    summary: "The active configuration, the draft, and the versions, newest first",
    description: "Versions are complete. A page ends early when it would exceed 4 MB.",
    access: READ,
    limits: PROJECT_LIMIT,
    readsOwnerOnly: true,
    query: Type.Object({ ...PAGE_QUERY, ...PROJECT_QUERY }),
    example: { query: { projectId: "shop" } },
    response: Type.Object({
      active: OrNone,
      draft: OrNone,
      versions: Type.Array(FirewallConfig),
      pagination: Pagination,
    }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getFirewallConfig: {
    method: "GET",
    path: "/v1/firewalls/:configVersion",
    aliases: firewallAliases("/:configVersion"),
    tag: FIREWALL_TAG,
    summary: "One configuration: the active one, the draft, or a version by its number",
    access: READ,
    limits: PROJECT_LIMIT,
    readsOwnerOnly: true,
    params: VersionParams,
    query: ProjectOnly,
    example: { query: { projectId: "shop" } },
    response: FirewallConfig,
    errors: [],
    emits: [],
  },
  putFirewallConfig: {
    method: "PUT",
    path: "/v1/firewalls",
    aliases: firewallAliases(),
    tag: FIREWALL_TAG,
    gives: "nothing",
    summary: "Replace the configuration: create a version and activate it",
    description:
      "Given ids are kept. A rule without one gets the id of an equal active rule, else a new one. Other members of a GET's " +
      "response may be sent along and are ignored. When nothing would change, no version is created. A response to an invalid " +
      "body lists all errors in `errors`.",
    access: WRITE,
    limits: PROJECT_LIMIT,
    changesOwnerOnly: true,
    query: ProjectOnly,
    body: ConfigInput,
    protects: ProtectiveConfig,
    isBodyChecked: true,
    maxBodyValues: MAX_VALUES,
    example: {
      query: { projectId: "shop" },
      body: {
        firewallEnabled: true,
        rules: [EXAMPLE_RULE],
      },
    },
    response: Type.Object({ active: FirewallConfig }),
    errors: [...CHANGE_ERRORS],
    emits: ["firewall-config-modified", "firewall-config-promoted"],
  },
  updateFirewallConfig: {
    method: "PATCH",
    path: "/v1/firewalls",
    aliases: firewallAliases(),
    tag: FIREWALL_TAG,
    gives: "nothing",
    summary: "Apply one change to the active configuration: create a version and activate it",
    access: WRITE,
    limits: PROJECT_LIMIT,
    changesOwnerOnly: true,
    query: ProjectOnly,
    body: ChangeInput,
    protects: ProtectiveChange,
    isBodyChecked: true,
    maxBodyValues: MAX_VALUES,
    example: CHANGE_EXAMPLE,
    response: FirewallConfig,
    errors: [...CHANGE_ERRORS],
    emits: ["firewall-config-modified", "firewall-config-promoted"],
  },
  updateFirewallDraft: {
    method: "PATCH",
    path: "/v1/firewalls/:configVersion",
    aliases: firewallAliases("/:configVersion"),
    tag: FIREWALL_TAG,
    gives: "nothing",
    summary: "Add a change to the draft, which starts from the active configuration",
    description:
      "The changes of a draft are applied to the version that is active at the time. With `If-None-Match: *` the change begins a " +
      "draft, and is refused with 412 if there is one.",
    access: WRITE,
    beginsObject: true,
    limits: PROJECT_LIMIT,
    changesOwnerOnly: true,
    params: DraftParams,
    query: ProjectOnly,
    body: ChangeInput,
    protects: ProtectiveChange,
    isBodyChecked: true,
    maxBodyValues: MAX_VALUES,
    example: CHANGE_EXAMPLE,
    response: FirewallConfig,
    errors: [...CHANGE_ERRORS, "draft_conflict", "draft_too_large"],
    emits: ["firewall-draft-modified"],
  },
  discardFirewallDraft: {
    method: "DELETE",
    path: "/v1/firewalls/:configVersion",
    aliases: firewallAliases("/:configVersion"),
    tag: FIREWALL_TAG,
    gives: "nothing",
    summary: "Discard the draft",
    access: WRITE,
    limits: PROJECT_LIMIT,
    params: DraftParams,
    query: ProjectOnly,
    status: 204,
    example: { query: { projectId: "shop" } },
    response: Type.Null(),
    errors: ["revision_mismatch"],
    emits: ["firewall-draft-discarded"],
  },
  activateFirewallConfig: {
    method: "POST",
    path: "/v1/firewalls/:configVersion/activate",
    aliases: firewallAliases("/:configVersion/activate"),
    tag: FIREWALL_TAG,
    gives: "nothing",
    summary: "Activate the draft as a new version, or an earlier version unchanged",
    access: WRITE,
    protects: true,
    limits: PROJECT_LIMIT,
    changesOwnerOnly: true,
    params: VersionParams,
    query: ProjectOnly,
    body: Type.Object({ note: Note, expectedVersion: ExpectedVersion }, { additionalProperties: false }),
    isBodyOptional: true,
    example: { query: { projectId: "shop" }, body: { note: "Block /admin" } },
    response: FirewallConfig,
    errors: ["invalid_firewall", "firewall_too_costly", "version_conflict", "revision_mismatch", "draft_conflict"],
    emits: ["firewall-config-modified", "firewall-config-promoted", "firewall-draft-discarded"],
  },
  diffFirewallConfigs: {
    method: "GET",
    path: "/v1/firewalls/:configVersion/diff/:otherVersion",
    aliases: firewallAliases("/:configVersion/diff/:otherVersion"),
    tag: FIREWALL_TAG,
    summary: "What differs between two configurations",
    access: READ,
    limits: PROJECT_LIMIT,
    params: Type.Object({
      configVersion: Pattern(
        `^(?:previous|active|draft|${VERSION_NUMBER})$`,
        "`previous`, `active`, `draft`, or the number of a version",
        { description: "`previous`: the version that the other one is based on." },
      ),
      otherVersion: VersionName,
    }),
    query: ProjectOnly,
    example: { query: { projectId: "shop" } },
    response: Type.Object(
      {
        from: Type.Union([Type.Integer(), Type.Null()], { description: "Null: no version, before the first one." }),
        to: Type.Integer(),
        differences: Type.Array(Difference),
      },
      { title: "FirewallDiff" },
    ),
    errors: [],
    emits: [],
  },
  generateFirewallRule: {
    method: "POST",
    path: "/v1/firewalls/generate-rule",
    aliases: firewallAliases("/generate-rule"),
    tag: FIREWALL_TAG,
    gives: "nothing",
    summary: "Not available: responds that this server does not generate rules from text",
    description: "For clients that call it. Stores nothing.",
    access: READ,
    limits: PROJECT_LIMIT,
    query: ProjectOnly,
    body: Type.Object(
      {
        prompt: Type.Optional(Type.String({ maxLength: 1_000, description: "Ignored." })),
        currentRule: Type.Optional(Type.Unsafe({ description: "Ignored." })),
      },
      { additionalProperties: false },
    ),
    isBodyOptional: true,
    readsOnly: true,
    example: { query: { projectId: "shop" }, body: { prompt: "Block /admin" } },
    returns: "An error: this server does not generate rules from text.",
    response: Type.Object({ error: Type.String({ description: "What to do instead." }) }),
    errors: [],
    emits: [],
  },
});
