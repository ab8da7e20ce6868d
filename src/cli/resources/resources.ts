// All resources of the command line, and the operations that have no command of their own. To add one: its table, a line here, and a
// line in the list of commands (src/cli/entries.ts).
import type { OperationId } from "../../client/types.ts";
import { environments, projects } from "./environments-table.ts";
import { events, webhooks } from "./events-table.ts";
import { firewall } from "./firewall-table.ts";
import { identity } from "./identity-table.ts";
import type { Resource, Row } from "./row.ts";
import { apiKeys, invites, members, secrets, teams, tokens } from "./table.ts";

export const RESOURCES: readonly Resource[] = [
  teams,
  members,
  invites,
  secrets,
  projects,
  environments,
  firewall,
  events,
  webhooks,
  tokens,
  apiKeys,
  identity,
];

/** The subjects of the API whose operations have commands. */
export const COVERED_TAGS: readonly string[] = [
  "Teams",
  "Members",
  "Invites",
  "Secrets",
  "Projects",
  "Environments",
  "Firewall",
  "Firewall bypasses",
  "Firewall traffic",
  "Attack mode",
  "Events",
  "Webhooks",
  "Access tokens",
  "API keys",
  "Workload identity",
];

/** Operations of those subjects without a command, and why. `reeve api` calls them. */
export const LEFT_OUT: Readonly<Partial<Record<OperationId, string>>> = {
  listTeamsForLookup: "the list of teams for clients that look for one of them: `teams list`",
  joinNamedTeam: "another path of `members join`",
  createSecret: "`secrets set` creates a secret that is not there",
  createNamedSecret: "`secrets set` creates a secret that is not there",
  putSecretValue: "`secrets set` stores a new value",
  changeSecrets: "changes several at once; `secrets update` changes one",
  deleteSecrets: "deletes several at once; `secrets delete` deletes one",
  renameSecrets: "renames several at once; `secrets rename` renames one",
  getCurrentApiKey: "`whoami` shows it, and `api-keys view current`",
  getEnvironmentValues: "`env pull` and `run` read the values",
  generateFirewallRule: "Reeve refuses it always",
  reportTraffic: "gates report traffic",
  listAlertGroups: "another form of `firewall traffic attacks`, for clients of the public API",
  listDeliveries: "`webhooks deliveries --webhook-id` lists those of one webhook",
};

export function operationsOf(row: Row): readonly OperationId[] {
  return "load" in row ? row.operations : [row.operation];
}
