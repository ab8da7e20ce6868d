// The claims of SUPPORTED.md, row by row. A test has to prove a row without a reason; no test may prove a row with one.

/** `METHOD path`, and the test that shows more than a successful response: its file and its whole name. */
export interface SpecifiedEndpoint {
  readonly endpoint: string;
  readonly file: string;
  readonly test: string;
}

function specified(endpoint: string, file: string, test: string): SpecifiedEndpoint {
  return { endpoint, file: `src/${file}.test.ts`, test };
}

export const SPECIFICATION: readonly SpecifiedEndpoint[] = [
  specified("GET /v2/secrets", "secrets/secrets/secrets", "a list holds one owner's secrets, and never a value"),
  specified(
    "PATCH /v2/secrets/:name",
    "secrets/secrets/names",
    "a secret is renamed by name or id, and its old name is free at once",
  ),
  specified("GET /v1/firewalls/:configVersion", "firewall/configurations/versions", "versions never change"),
  specified(
    "PUT /v1/firewalls",
    "firewall/configurations/versions",
    "a PUT creates and activates a version, and the response wraps it",
  ),
  specified(
    "POST /v1/attack-challenge-mode",
    "firewall/attack-mode/attack-mode",
    "it is switched on, on until a time, and off, each with its event",
  ),
  specified("POST /v1/teams", "teams/teams/teams", "a new team is returned in full and its creator is its OWNER"),
  specified("DELETE /v1/teams/:teamId", "teams/teams/removal", "a deleted team is gone, and its slug is free"),
  specified(
    "DELETE /v1/teams/:teamId/invites/:inviteCode",
    "teams/invites/invites",
    "an invite is revoked by its id or its code, once, and only in its own team",
  ),
  specified(
    "GET /v2/teams/:teamId",
    "teams/teams/teams",
    "a team is found by id and by slug, on every path that clients use",
  ),
  specified(
    "PATCH /v2/teams/:teamId",
    "teams/teams/patch",
    "a renamed team is found by its new slug, and the old one is free",
  ),
  specified(
    "GET /v2/teams/:teamId/members",
    "teams/members/members",
    "members are paged newest first, and filters narrow them",
  ),
  specified(
    "POST /v1/teams/:teamId/members",
    "teams/members/members",
    "an invited account is pending, joins by the team's id or slug, and then is a member",
  ),
  specified(
    "POST /v1/teams/join",
    "teams/invites/invites",
    "a shareable code is shown once, admits people with its role, and is in no table or event",
  ),
  specified(
    "DELETE /v1/teams/:teamId/members/:uid",
    "teams/members/removal/removal",
    "an owner removes a member, who then has no access",
  ),
  specified(
    "PATCH /v1/teams/:teamId/members/:uid",
    "teams/members/update",
    "an access request is confirmed with the role that is named, and only once",
  ),
  specified(
    "POST /v1/teams/:teamId/request",
    "teams/access-requests/access-requests",
    "an access request is returned, listed as pending, and shown only to its author and to owners",
  ),
  specified("GET /v2/user", "identity/accounts/users", "the current user has every member that clients require"),
  specified(
    "GET /v3/events",
    "events/events/events",
    "an event > names actor and action, in the form that clients require",
  ),
  specified(
    "POST /v1/webhooks",
    "events/webhooks/webhooks",
    "a webhook is created with a secret that is not shown again, listed, and deleted",
  ),
  specified(
    "GET /v1/webhooks",
    "events/webhooks/webhooks",
    "a webhook is created with a secret that is not shown again, listed, and deleted",
  ),
  specified(
    "GET /v1/webhooks/:webhookId",
    "events/webhooks/webhooks",
    "a webhook is created with a secret that is not shown again, listed, and deleted",
  ),
  specified(
    "DELETE /v1/webhooks/:webhookId",
    "events/webhooks/webhooks",
    "a webhook is created with a secret that is not shown again, listed, and deleted",
  ),
];

/** `METHOD path` as clients send it, beside those of the specification itself. */
export const CLIENT_CALLS: readonly string[] = [
  "GET /v3/secrets",
  "GET /v3/now/secrets",
  "GET /v3/secrets/:name",
  "GET /now/secrets/:name",
  "POST /v2/secrets/:name",
  "POST /now/secrets",
  "PATCH /now/secrets/:name",
  "DELETE /v2/secrets/:name",
  "DELETE /now/secrets/:name",
  "GET /v1/security/firewall/config",
  "GET /v1/security/firewall/config/:configVersion",
  "PUT /v1/security/firewall/config",
  "PATCH /v1/security/firewall/config",
  "PATCH /v1/security/firewall/config/:configVersion",
  "POST /v1/security/firewall/config/:configVersion/activate",
  "DELETE /v1/security/firewall/config/:configVersion",
  "POST /v1/security/firewall/config/generate-rule",
  "POST /v1/security/attack-mode",
  "POST /security/attack-mode",
  "GET /v1/security/firewall/attack-status",
  "POST /v1/security/firewall/bypass",
  "GET /v1/security/firewall/bypass",
  "DELETE /v1/security/firewall/bypass",
  "GET /v1/security/firewall/bypass/rules",
  "POST /v1/security/firewall/bypass/rules",
  "PUT /v1/security/firewall/bypass/rules",
  "DELETE /v1/security/firewall/bypass/rules",
  "GET /v1/security/firewall/events",
  "GET /alerts/v3/groups",
  "POST /metrics/v1",
  "POST /teams",
  "GET /v2/teams",
  "GET /v1/teams",
  "GET /teams/:teamId",
  "PATCH /teams/:teamId",
  "GET /v3/teams/:teamId/members",
  "POST /v2/teams/:teamId/members",
  "POST /teams/:teamId/members",
  "POST /v1/teams/:teamId/members/teams/join",
  "DELETE /v2/teams/:teamId/members/:uid",
  "GET /v1/teams/:teamId/members/:uid/projects",
  "GET /v1/teams/:teamId/request",
  "GET /v1/teams/:teamId/request/:userId",
  "DELETE /v1/user",
  "GET /v1/events/types",
  "POST /v3/user/tokens",
  "GET /v5/user/tokens/:tokenId",
  "GET /v6/user/tokens",
  "GET /v5/user/tokens",
  "DELETE /v3/user/tokens/:tokenId",
  "GET /v9/projects",
  "GET /v9/projects/:idOrName",
  "GET /v10/projects/:idOrName",
  "GET /v10/projects/:idOrName/env",
  "GET /v9/projects/:idOrName/env",
  "GET /v8/projects/:idOrName/env",
  "POST /v10/projects/:idOrName/env",
  "POST /v8/projects/:idOrName/env",
  "GET /v1/projects/:idOrName/env/:id",
  "PATCH /v9/projects/:idOrName/env/:id",
  "PATCH /v10/projects/:idOrName/env/:id",
  "DELETE /v9/projects/:idOrName/env/:id",
  "DELETE /v10/projects/:idOrName/env/:id",
  "DELETE /v8/projects/:idOrName/env/:id",
  "DELETE /v1/projects/:idOrName/env",
  "GET /v9/projects/:idOrName/custom-environments",
  "GET /projects/:idOrName/custom-environments",
  "POST /v9/projects/:idOrName/custom-environments",
  "GET /v9/projects/:idOrName/custom-environments/:environmentSlugOrId",
  "PATCH /v9/projects/:idOrName/custom-environments/:environmentSlugOrId",
  "DELETE /v9/projects/:idOrName/custom-environments/:environmentSlugOrId",
  "GET /v1/env/pull/:idOrName",
  "GET /v1/env/pull/:idOrName/:target",
  "GET /v1/env/pull/:idOrName/:target/:gitBranch",
  "GET /v3/env/pull/:idOrName",
  "GET /v3/env/pull/:idOrName/:target",
  "GET /v3/env/pull/:idOrName/:target/:gitBranch",
];

/** What clients can call that is not here. */
export const ABSENT_CALLS: Readonly<Record<string, string>> = {
  "POST /v1/teams/:teamId/dsync-roles": "no directory is synchronised here; answers 404",
  "GET /teams/:teamId/dsync/groups": "no directory is synchronised here; answers 404",
  "GET /alerts/v3/groups/:groupId": "there are no alerts here; answers 404, which the client says",
  "GET /v2/observability/schema": "there are no figures here but those of the firewall; answers 404",
  "GET /metrics/v1": "there are no figures here but those of the firewall; answers 405",
};

/** Groups of functions of the generated SDK that are supported completely. */
export const SDK_GROUPS = ["teams", "user", "authentication", "webhooks", "security"] as const;

/** Functions of other groups that are supported. */
export const SDK_FUNCTIONS: readonly string[] = [
  "environment.createCustomEnvironment",
  "environment.getCustomEnvironment",
  "environment.getProjectsByIdOrNameCustomEnvironments",
  "environment.getV9ProjectsIdOrNameCustomEnvironments",
  "environment.removeCustomEnvironment",
  "environment.updateCustomEnvironment",
  "projects.batchRemoveProjectEnv",
  "projects.createProjectEnv",
  "projects.editProjectEnv",
  "projects.filterProjectEnvs",
  "projects.getProject",
  "projects.getProjectEnv",
  "projects.getProjects",
  "projects.removeProjectEnv",
];

const NO_CREDENTIAL = "the client sends this call without a credential";
const NO_MICROFRONTENDS = "there are no microfrontends here";

/** Functions of the generated SDK that do not succeed: `group.name` for all releases, or `group.name release`. */
export const SDK_REASONS: Readonly<Record<string, string>> = {
  "authentication.exchangeSsoToken": "there are no marketplace integrations here",
  "teams.postTeamDsyncRoles": "no directory is synchronised here",
  "teams.updateMicrofrontendsGroup": NO_MICROFRONTENDS,
  "teams.deleteMicrofrontendsGroup": NO_MICROFRONTENDS,
  "teams.getTeamMembers 1.14.0": "this release forgets the team's id before it sends anything",
  "security.getV1SecurityFirewallEvents": NO_CREDENTIAL,
  "security.getSecurityFirewallEvents 1.21.9": NO_CREDENTIAL,
  "security.getSecurityFirewallConfig": NO_CREDENTIAL,
  "security.createSecurityFirewallConfigByConfigVersionActivate": NO_CREDENTIAL,
  "security.deleteSecurityFirewallConfigByConfigVersion": NO_CREDENTIAL,
};

/** Of the SDK's last release with secrets, of 2024. */
export const SECRET_FUNCTIONS: readonly string[] = [
  "getSecrets",
  "getSecret",
  "createSecret",
  "renameSecret",
  "deleteSecret",
];

/** The test which shows that `ENFORCED_BY` enforces managed sets as it says, and that the other sets are only stored. */
export const ENFORCEMENT = {
  file: "src/firewall/evaluator/evaluator.test.ts",
  enforced: "match every entry of the list by its own example user agents",
  stored: "are evaluated after the rules, in order, each once; sets that nothing enforces never match",
} as const;
