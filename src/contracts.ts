// Every endpoint as one list of data, for the documentation, the command line, clients and tests.
import type { Contract } from "./platform/kernel/contract.ts";
import { apiKeysContract } from "./identity/api-keys/contract.ts";
import { trustRulesContract } from "./identity/workload/contract.ts";
import { accessRequestsContract } from "./teams/access-requests/contract.ts";
import { attackModeContract } from "./firewall/attack-mode/contract.ts";
import { checkpointsContract } from "./events/checkpoints/contract.ts";
import { attentionContract } from "./teams/attention/contract.ts";
import { bypassesContract } from "./firewall/bypasses/contract.ts";
import { bypassRulesContract } from "./firewall/bypasses/rule-contract.ts";
import { firewallContract } from "./firewall/configurations/contract.ts";
import { decisionsContract } from "./firewall/decisions/contract.ts";
import { gateContract } from "./firewall/bundles/contract.ts";
import { evaluateContract } from "./firewall/evaluation/contract.ts";
import { invitesContract } from "./teams/invites/contract.ts";
import { invitePeopleContract } from "./teams/members/joining/invite-contract.ts";
import { membersContract } from "./teams/members/contract.ts";
import { eventsContract } from "./events/events/contract.ts";
import { eventExportContract } from "./events/events/export/export-contract.ts";
import { eventStreamContract } from "./events/events/stream-contract.ts";
import { environmentsContract } from "./secrets/environments/contract.ts";
import { environmentValuesContract } from "./secrets/environments/values/values-contract.ts";
import { customEnvironmentsContract } from "./secrets/environments/variables/custom-contract.ts";
import { variablesContract } from "./secrets/environments/variables/variables-contract.ts";
import { environmentVersionsContract } from "./secrets/environments/versions/versions-contract.ts";
import { projectsContract } from "./teams/projects/contract.ts";
import { secretHistoryContract } from "./secrets/secrets/versions/history-contract.ts";
import { secretValuesContract } from "./secrets/secrets/values/contract.ts";
import { secretBulkContract } from "./secrets/secrets/bulk/contract.ts";
import { secretListContract } from "./secrets/secrets/list-contract.ts";
import { secretsContract } from "./secrets/secrets/contract.ts";
import { teamsContract } from "./teams/teams/contract.ts";
import { sessionsContract } from "./identity/sessions/contract.ts";
import { signInContract } from "./identity/methods/contract.ts";
import { emailContract } from "./identity/methods/email/contract.ts";
import { tokensContract } from "./identity/tokens/contract.ts";
import { instanceContract } from "./serve/instance/contract.ts";
import { metricsContract } from "./firewall/traffic/metrics-contract.ts";
import { automaticContract } from "./firewall/traffic/automatic/contract.ts";
import { trafficContract } from "./firewall/traffic/contract.ts";
import { webhooksContract } from "./events/webhooks/contract.ts";
import { deliveriesContract } from "./events/webhooks/deliveries/delivery-contract.ts";
import { usersContract } from "./identity/accounts/contract.ts";

/** The contracts in the order of the documentation. */
export const CONTRACTS = [
  usersContract,
  sessionsContract,
  signInContract,
  emailContract,
  tokensContract,
  apiKeysContract,
  trustRulesContract,
  teamsContract,
  attentionContract,
  membersContract,
  invitePeopleContract,
  invitesContract,
  accessRequestsContract,
  secretListContract,
  secretsContract,
  secretHistoryContract,
  secretValuesContract,
  secretBulkContract,
  environmentsContract,
  environmentVersionsContract,
  environmentValuesContract,
  variablesContract,
  customEnvironmentsContract,
  projectsContract,
  attackModeContract,
  automaticContract,
  bypassesContract,
  bypassRulesContract,
  firewallContract,
  trafficContract,
  metricsContract,
  evaluateContract,
  gateContract,
  decisionsContract,
  webhooksContract,
  deliveriesContract,
  eventsContract,
  eventExportContract,
  eventStreamContract,
  checkpointsContract,
  instanceContract,
] as const satisfies readonly Contract[];
