// The functions of `@vercel/sdk` that call an endpoint, by its id: those that SUPPORTED.md says work in the newest release.

export interface SdkFunction {
  /** `group.name` */
  readonly name: string;
  /** Its argument: path, query and body in one object by default, the body alone, or nothing. */
  readonly takes?: "body" | "nothing";
  /** Parameters of the path that it names differently. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** It sends the body as the only item of a list. */
  readonly isListed?: true;
  readonly hasNoBody?: true;
  readonly hasNoTeam?: true;
}

export const SDK_FUNCTIONS: Readonly<Record<string, SdkFunction>> = {
  createToken: { name: "authentication.createAuthToken" },
  listTokens: { name: "authentication.listAuthTokens", takes: "nothing" },
  getToken: { name: "authentication.getAuthToken" },
  deleteToken: { name: "authentication.deleteAuthToken" },

  getCurrentUser: { name: "user.getAuthUser", takes: "nothing" },
  deleteCurrentUser: { name: "user.requestDelete", takes: "body" },
  listEvents: { name: "user.listUserEvents" },
  listEventTypes: { name: "user.listEventTypes" },

  createTeam: { name: "teams.createTeam", takes: "body" },
  listTeams: { name: "teams.getTeams", hasNoTeam: true },
  getTeam: { name: "teams.getTeam" },
  updateTeam: { name: "teams.patchTeam" },
  deleteTeam: { name: "teams.deleteTeam" },
  listTeamMembers: { name: "teams.getTeamMembers" },
  inviteTeamMember: { name: "teams.inviteUserToTeam", isListed: true },
  updateTeamMember: { name: "teams.updateTeamMember" },
  removeTeamMember: { name: "teams.removeTeamMember" },
  joinNamedTeam: { name: "teams.joinTeam" },
  requestAccess: { name: "teams.requestAccessToTeam" },
  getAccessRequest: { name: "teams.getTeamAccessRequest" },
  deleteInvite: { name: "teams.deleteTeamInviteCode", renamed: { inviteCode: "inviteId" } },

  createWebhook: { name: "webhooks.createWebhook" },
  listWebhooks: { name: "webhooks.getWebhooks" },
  getWebhook: { name: "webhooks.getWebhook", renamed: { webhookId: "id" } },
  deleteWebhook: { name: "webhooks.deleteWebhook", renamed: { webhookId: "id" } },

  getFirewallConfig: { name: "security.getFirewallConfig" },
  putFirewallConfig: { name: "security.putFirewallConfig" },
  updateFirewallConfig: { name: "security.updateFirewallConfig" },
  generateFirewallRule: { name: "security.generateFirewallRule", hasNoBody: true },
  setAttackMode: { name: "security.updateAttackChallengeMode" },
  getAttackStatus: { name: "security.getActiveAttackStatus" },
  listBypasses: { name: "security.getBypassIp" },
  addBypass: { name: "security.addBypassIp" },
  removeBypass: { name: "security.removeBypassIp" },
  listTrafficActions: { name: "security.getSecurityFirewallEvents" },

  listProjects: { name: "projects.getProjects" },
  getProject: { name: "projects.getProject" },
  listVariables: { name: "projects.filterProjectEnvs" },
  createVariables: { name: "projects.createProjectEnv" },
  getVariable: { name: "projects.getProjectEnv" },
  updateVariable: { name: "projects.editProjectEnv" },
  deleteVariable: { name: "projects.removeProjectEnv" },
  deleteVariables: { name: "projects.batchRemoveProjectEnv" },
  listCustomEnvironments: { name: "environment.getProjectsByIdOrNameCustomEnvironments" },
  createCustomEnvironment: { name: "environment.createCustomEnvironment" },
  getCustomEnvironment: { name: "environment.getCustomEnvironment" },
  updateCustomEnvironment: { name: "environment.updateCustomEnvironment" },
  deleteCustomEnvironment: { name: "environment.removeCustomEnvironment" },
};
