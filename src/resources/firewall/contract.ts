// Firewall configurations: immutable versions of what gets through to a project, one of them active, and a draft.
import { OneOf, Pattern, defineContract } from "../../kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../kernel/pagination.ts";
import { Type } from "typebox";
import { PROJECT_QUERY } from "../projects/project-schema.ts";
import { ChangeInput, ExpectedVersion, Note } from "./change-schema.ts";
import { ConfigInput, FirewallConfig, LIMITS } from "./config-schema.ts";

export const FIREWALL_TAG = "Firewall";
const READ = { kind: "owner", permission: "firewall:read" } as const;
const WRITE = { kind: "owner", permission: "firewall:write" } as const;

/** Today's clients call `/v1/security/firewall/config`; the unversioned forms go with both. */
const ALIAS_ROOTS = ["/firewalls", "/v1/security/firewall/config", "/security/firewall/config"];

/** Where else an endpoint under `/v1/firewalls` is found. */
export function firewallAliases(rest = ""): readonly string[] {
  return ALIAS_ROOTS.map((root) => root + rest);
}

const VERSION_NUMBER = "[1-9][0-9]{0,14}";
export const VersionName = Pattern(
  `^(?:active|draft|${VERSION_NUMBER})$`,
  "`active`, `draft`, or the number of a version",
);
export const VersionParams = Type.Object({ configVersion: VersionName });
/** Versions are never changed or deleted: only the draft is. */
const DraftParams = Type.Object({ configVersion: OneOf(["draft"]) });
const ProjectOnly = Type.Object(PROJECT_QUERY);

/** As many values as a configuration within its limit of bytes can have: what GET answers can always be PUT again. */
const MAX_VALUES = LIMITS.documentBytes / 2;

const CHANGE_ERRORS = ["invalid_firewall", "firewall_too_costly", "version_conflict", "revision_mismatch"] as const;

const Difference = Type.Object(
  {
    kind: OneOf(["added", "removed", "changed", "moved"]),
    part: Type.String({ description: "A member of the configuration." }),
    id: Type.Optional(
      Type.String({ description: "Of the rule, entry or shared condition; the name of the category or managed set." }),
    ),
    before: Type.Optional(Type.Unsafe({ description: "The part, as the first configuration has it." })),
    after: Type.Optional(Type.Unsafe({ description: "The part, as the second one has it." })),
    from: Type.Optional(Type.Integer({ description: "Where something that moved was, from 0." })),
    to: Type.Optional(Type.Integer()),
  },
  { title: "FirewallDifference" },
);

const OrNone = Type.Union([FirewallConfig, Type.Null()]);

export const firewallContract = defineContract({
  listFirewallConfigs: {
    method: "GET",
    path: "/v1/firewalls",
    aliases: firewallAliases(),
    tag: FIREWALL_TAG,
    summary: "The active configuration, the draft, and the versions, newest first",
    description: "Versions are whole; a page ends early when it grows beyond 4 MB.",
    access: READ,
    query: Type.Object({ ...PAGE_QUERY, ...PROJECT_QUERY }),
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
    params: VersionParams,
    query: ProjectOnly,
    response: FirewallConfig,
    errors: [],
    emits: [],
  },
  putFirewallConfig: {
    method: "PUT",
    path: "/v1/firewalls",
    aliases: firewallAliases(),
    tag: FIREWALL_TAG,
    summary: "Replace the configuration: make a new version and activate it",
    description:
      "Ids that are given stay; a rule without one gets that of an active rule that says the same, else a new one. " +
      "What the answer of a GET holds beside the configuration may come along and says nothing. When nothing would change, " +
      "no version is made. An error names every fault at once, in `errors`.",
    access: WRITE,
    query: ProjectOnly,
    body: ConfigInput,
    isBodyChecked: true,
    maxBodyValues: MAX_VALUES,
    response: Type.Object({ active: FirewallConfig }),
    errors: [...CHANGE_ERRORS],
    emits: ["firewall-config-modified", "firewall-config-promoted"],
  },
  updateFirewallConfig: {
    method: "PATCH",
    path: "/v1/firewalls",
    aliases: firewallAliases(),
    tag: FIREWALL_TAG,
    summary: "Change one thing of the active configuration: make a new version and activate it",
    access: WRITE,
    query: ProjectOnly,
    body: ChangeInput,
    isBodyChecked: true,
    maxBodyValues: MAX_VALUES,
    response: FirewallConfig,
    errors: [...CHANGE_ERRORS],
    emits: ["firewall-config-modified", "firewall-config-promoted"],
  },
  updateFirewallDraft: {
    method: "PATCH",
    path: "/v1/firewalls/:configVersion",
    aliases: firewallAliases("/:configVersion"),
    tag: FIREWALL_TAG,
    summary: "Stage a change in the draft, which begins as the active configuration",
    description: "The draft follows the active configuration: its changes are made anew on whatever is active.",
    access: WRITE,
    params: DraftParams,
    query: ProjectOnly,
    body: ChangeInput,
    isBodyChecked: true,
    maxBodyValues: MAX_VALUES,
    response: FirewallConfig,
    errors: [...CHANGE_ERRORS, "draft_conflict", "draft_too_large"],
    emits: ["firewall-draft-modified"],
  },
  discardFirewallDraft: {
    method: "DELETE",
    path: "/v1/firewalls/:configVersion",
    aliases: firewallAliases("/:configVersion"),
    tag: FIREWALL_TAG,
    summary: "Discard the draft",
    access: WRITE,
    params: DraftParams,
    query: ProjectOnly,
    status: 204,
    response: Type.Null(),
    errors: ["revision_mismatch"],
    emits: ["firewall-draft-discarded"],
  },
  activateFirewallConfig: {
    method: "POST",
    path: "/v1/firewalls/:configVersion/activate",
    aliases: firewallAliases("/:configVersion/activate"),
    tag: FIREWALL_TAG,
    summary: "Activate the draft, as a new version, or an earlier version, as it is",
    access: WRITE,
    params: VersionParams,
    query: ProjectOnly,
    body: Type.Object({ note: Note, expectedVersion: ExpectedVersion }, { additionalProperties: false }),
    isBodyOptional: true,
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
    params: Type.Object({
      configVersion: Pattern(
        `^(?:previous|active|draft|${VERSION_NUMBER})$`,
        "`previous`, `active`, `draft`, or the number of a version",
        { description: "`previous`: what the other one was made out of." },
      ),
      otherVersion: VersionName,
    }),
    query: ProjectOnly,
    response: Type.Object(
      {
        from: Type.Union([Type.Integer(), Type.Null()], { description: "Null: before the first version." }),
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
    summary: "Says that this server writes no rules from words",
    description: "For clients that ask for one. Stores nothing.",
    access: READ,
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
    response: Type.Object({ error: Type.String({ description: "What to do instead." }) }),
    errors: [],
    emits: [],
  },
});
