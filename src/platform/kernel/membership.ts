// What memberships and invitations have in common: the role and the grants beside it. The lists are closed because clients
// reject other values.
import type { Static } from "typebox";
import { Type } from "typebox";
import { OneOf } from "./contract.ts";
import { TEAM_ROLES } from "./roles.ts";
import type { TeamRole } from "./roles.ts";

export const Role = OneOf(TEAM_ROLES, { description: "Role in the team." });

export const TeamParams = Type.Object({ teamId: Type.String({ description: "Id or slug of the team." }) });

/** The response to most changes of a team's people: the id of the team. */
export const TeamId = Type.Object({ id: Type.String({ description: "Id of the team." }) });

export const PROJECT_ROLES = ["ADMIN", "PROJECT_DEVELOPER", "PROJECT_VIEWER", "PROJECT_GUEST"] as const;
export type ProjectRole = (typeof PROJECT_ROLES)[number];

/** A role in a project as stored; `position` orders them, as in every list. */
export interface ProjectGrant {
  readonly projectId: string;
  readonly role: ProjectRole;
  readonly position: number;
}

/** Permissions beyond the role that a team can record for a member. Clients reject other values. */
export const TEAM_PERMISSIONS = [
  "AiGatewayApiKeyOwnedBySelf",
  "AiGatewayBudgetManager",
  "AiGatewayCredits",
  "AiGatewaySettings",
  "AiGatewayTranscriptsManager",
  "AiGatewayTranscriptsViewer",
  "ConnectorManager",
  "CreateProject",
  "EnvVariableManager",
  "EnvironmentManager",
  "FullProductionDeployment",
  "IntegrationManager",
  "OrgAdmin",
  "OrgViewer",
  "UsageViewer",
  "V0Builder",
  "V0Chatter",
  "V0Viewer",
  "WorkflowDecryptor",
] as const;
export type TeamPermission = (typeof TEAM_PERMISSIONS)[number];

/** How a user joined a team. A client rejects a whole list of members for any other value. */
export const JOIN_ORIGINS = [
  "account-update",
  "bitbucket",
  "dsync",
  "feedback",
  "github",
  "gitlab",
  "import",
  "link",
  "mail",
  "nsnb-auto-approve",
  "nsnb-hobby-upgrade",
  "nsnb-invite",
  "nsnb-redeploy",
  "nsnb-redeploy-attribution-card",
  "nsnb-request-access",
  "nsnb-viewer-upgrade",
  "organization-teams",
  "saml",
  "teams",
] as const;
export type JoinOrigin = (typeof JOIN_ORIGINS)[number];

export const JoinedFrom = Type.Object(
  {
    origin: OneOf(JOIN_ORIGINS),
    commitId: Type.Optional(Type.String()),
    repoId: Type.Optional(Type.String()),
    repoPath: Type.Optional(Type.String()),
    gitUserId: Type.Optional(Type.Unsafe<string | number>({ type: ["string", "number"] })),
    gitUserLogin: Type.Optional(Type.String()),
    ssoUserId: Type.Optional(Type.String()),
    ssoConnectedAt: Type.Optional(Type.Integer()),
  },
  { title: "JoinedFrom" },
);

export type JoinedFrom = Static<typeof JoinedFrom>;

/** Clients send access groups; Reeve has none. */
export const AccessGroups = Type.Array(Type.String({ maxLength: 256 }), {
  maxItems: 100,
  description: "Accepted and not stored.",
});

/** What a user gets on joining a team. */
export interface MembershipInput {
  readonly role: TeamRole;
  readonly joinedFrom: JoinedFrom;
  readonly projects: readonly ProjectGrant[];
  readonly teamPermissions: readonly TeamPermission[];
  /** Id of the account or key that invited them. */
  readonly invitedBy: string | null;
}
