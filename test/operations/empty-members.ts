// The members of bodies that take an empty text or an empty list, each with what it then means. Every other one refuses it.

/** Each entry: the operations, and their members as paths. */
type Accepted = Readonly<Record<string, string>>;

const below = (path: string, names: string): string =>
  names
    .split(" ")
    .map((name) => `${path}.${name}`)
    .join(" ");

const NOTHING_TO_READ: Accepted = {
  createUser: "name",
  updateCurrentUser: "name",
  updateUser: "name",
  createPasskey: "name",
  updateTeam: "description",
  createSecret: "description",
  createNamedSecret: "description",
  generateSecret: "description",
  updateSecret: "description",
  createVariables: "0.comment",
  updateVariable: "comment",
  createCustomEnvironment: "description",
  updateCustomEnvironment: "description",
  addBypass: "note",
  removeBypass: "note",
  addBypassRule: "note",
  replaceBypassRule: "note",
  putFirewallConfig: "note rules.0.description",
  updateFirewallConfig: "note",
  updateFirewallDraft: "note",
  activateFirewallConfig: "note",
  createWebhook: "description",
  updateWebhook: "description",
};

const EMPTY_VALUE: Accepted = {
  createSecret: "value",
  createNamedSecret: "value",
  putSecretValue: "value",
  setSecretValues: "values.0.value",
  createVariables: "0.value",
  updateVariable: "value",
};

const LIST_OF_NOTHING: Accepted = {
  deleteCurrentUser: "reasons",
  deleteTeam: "reasons",
  createSecret: "tags",
  createNamedSecret: "tags",
  generateSecret: "tags",
  updateSecret: "tags",
  updateTeamMember: "teamPermissions projects accessGroupsToAdd accessGroupsToRemove",
  inviteTeamMember: "projects accessGroups",
  createVariables: "0.customEnvironmentIds",
  updateVariable: "target customEnvironmentIds",
  putFirewallConfig:
    "rules rules.0.conditionGroup rules.0.action.mitigate.logHeaders rules.0.validationErrors ips conditions logHeaders rulesets",
  reportTraffic: "counts responses",
  queryMetrics: "groupBy",
  evaluateFirewallConfig: "requests.0.rulesets bypasses",
};

/** Of an imagined request, or of one that a gate decided: an attribute may be an empty text. */
const ATTRIBUTE_OF_A_REQUEST: Accepted = {
  reportTraffic: "counts.0.ip counts.0.ruleId",
  evaluateFirewallConfig: below(
    "requests.0",
    "ip protocol ja3 ja4 region environment domainEnvironment route targetPath serverAction rateLimitApiId trafficSource trustedSource body",
  ),
  reportGateDecisions: `${below(
    "decisions.0",
    "reason detail by.id by.name logged method host target ip userAgent headers headers.0.name headers.0.value steps",
  )} ${below("decisions.0.steps.0", "id name action reason groups groups.0.conditions")} ${below(
    "decisions.0.steps.0.groups.0.conditions.0",
    "type op key actual actual.0 expected",
  )}`,
  addBypassRule: "conditionGroup.0.conditions.0.key",
  replaceBypassRule: "conditionGroup.0.conditions.0.key",
  putFirewallConfig: "rules.0.conditionGroup.0.conditions.0.key",
};

/** The members that existing clients send empty, or that Reeve does not read. */
const NOT_READ: Accepted = {
  inviteTeamMember: "email",
  requestAccess:
    "joinedFrom.commitId joinedFrom.repoId joinedFrom.repoPath joinedFrom.gitUserId joinedFrom.gitUserLogin",
  createVariables: "0.gitBranch",
  updateVariable: "gitBranch",
  deleteVariables: "ids.0",
  updateFirewallConfig: "id",
  updateFirewallDraft: "id",
  generateFirewallRule: "prompt",
};

const TABLES = [NOTHING_TO_READ, EMPTY_VALUE, LIST_OF_NOTHING, ATTRIBUTE_OF_A_REQUEST, NOT_READ];

export function acceptedMembers(operation: string): ReadonlySet<string> {
  return new Set(TABLES.flatMap((table) => table[operation]?.split(" ") ?? []));
}
