// The folders of `src/` in their order, as data: for the linter, for `npm run architecture`, and for their tests.

/** The folders of `src/` from the bottom to the top: each imports itself and those before it. */
export const ORDER: readonly string[] = [
  "platform/kernel",
  "platform/outcomes",
  "platform/store",
  "platform/keyring",
  "platform/egress",
  "platform/operations",
  "platform/http",
  "events/events",
  "events/queue",
  "events/mails",
  "events/webhooks",
  "events/checkpoints",
  "events/delivery",
  "identity/accounts",
  "identity/sessions",
  "identity/methods",
  "identity/api-keys",
  "identity/workload",
  "identity/tokens",
  "identity/team-access",
  "identity/programs",
  "identity/sign-in",
  "identity/providers",
  "identity/oauth-server",
  "identity/pages",
  "teams/invites",
  "teams/members",
  "teams/access-requests",
  "teams/teams",
  "teams/projects",
  "teams/attention",
  "secrets/secrets",
  "secrets/environments",
  "firewall/evaluator",
  "firewall/attack-mode",
  "firewall/configurations",
  "firewall/bypasses",
  "firewall/bots",
  "firewall/traffic",
  "firewall/evaluation",
  "firewall/evaluation-worker",
  "firewall/decisions",
  "firewall/bundles",
  "gate",
  "serve",
  "contracts.ts",
  "client",
  "cli/bodies",
  "cli",
];

/** What areas do outside of transactions, or without a store. All other folders of areas are resources. */
const WORKING = [
  "events/queue",
  "events/delivery",
  "identity/team-access",
  "identity/sign-in",
  "identity/providers",
  "identity/oauth-server",
  "identity/pages",
  "firewall/evaluator",
  "firewall/evaluation-worker",
];
const AREAS = ["events", "identity", "teams", "secrets", "firewall"];

/** The resources: folders with a contract, a service and a store. */
export const RESOURCES = ORDER.filter(
  (folder) => AREAS.includes(folder.split("/")[0] ?? "") && !WORKING.includes(folder),
);

/** The place of a path in the order; -1 outside of it. */
export function rankOf(path: string): number {
  return ORDER.findIndex((folder) => path === folder || path.startsWith(`${folder}/`));
}
