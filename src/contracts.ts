// Every endpoint as one list of data, for the documentation, the command line, clients and tests.
import type { Contract } from "./kernel/contract.ts";
import { apiKeysContract } from "./resources/api-keys/contract.ts";
import { identityContract } from "./resources/api-keys/identity/contract.ts";
import { accessRequestsContract } from "./resources/access-requests/contract.ts";
import { attackModeContract } from "./resources/attack-mode/contract.ts";
import { checkpointsContract } from "./resources/checkpoints/contract.ts";
import { bypassesContract } from "./resources/bypasses/contract.ts";
import { bypassRulesContract } from "./resources/bypasses/rule-contract.ts";
import { firewallContract } from "./resources/firewall/contract.ts";
import { decisionsContract } from "./resources/decisions/contract.ts";
import { gateContract } from "./resources/gate/contract.ts";
import { evaluateContract } from "./resources/evaluation/contract.ts";
import { invitesContract } from "./resources/invites/contract.ts";
import { invitePeopleContract } from "./resources/members/joining/invite-contract.ts";
import { membersContract } from "./resources/members/contract.ts";
import { eventsContract } from "./resources/events/contract.ts";
import { eventStreamContract } from "./resources/events/stream-contract.ts";
import { environmentsContract } from "./resources/environments/contract.ts";
import { environmentValuesContract } from "./resources/environments/values/values-contract.ts";
import { customEnvironmentsContract } from "./resources/environments/variables/custom-contract.ts";
import { variablesContract } from "./resources/environments/variables/variables-contract.ts";
import { environmentVersionsContract } from "./resources/environments/versions/versions-contract.ts";
import { projectsContract } from "./resources/projects/contract.ts";
import { secretHistoryContract } from "./resources/secrets/versions/history-contract.ts";
import { secretValuesContract } from "./resources/secrets/values/contract.ts";
import { secretsContract } from "./resources/secrets/contract.ts";
import { teamsContract } from "./resources/teams/contract.ts";
import { sessionsContract } from "./resources/sessions/contract.ts";
import { signInContract } from "./resources/sign-in/contract.ts";
import { emailContract } from "./resources/sign-in/email/contract.ts";
import { tokensContract } from "./resources/tokens/contract.ts";
import { instanceContract } from "./resources/instance/contract.ts";
import { metricsContract } from "./resources/traffic/metrics-contract.ts";
import { automaticContract } from "./resources/traffic/automatic/contract.ts";
import { trafficContract } from "./resources/traffic/contract.ts";
import { webhooksContract } from "./resources/webhooks/contract.ts";
import { deliveriesContract } from "./resources/webhooks/deliveries/delivery-contract.ts";
import { usersContract } from "./resources/users/contract.ts";

/** The contracts in the order of the documentation. */
export const CONTRACTS = [
  usersContract,
  sessionsContract,
  signInContract,
  emailContract,
  tokensContract,
  apiKeysContract,
  identityContract,
  teamsContract,
  membersContract,
  invitePeopleContract,
  invitesContract,
  accessRequestsContract,
  secretsContract,
  secretHistoryContract,
  secretValuesContract,
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
  eventStreamContract,
  checkpointsContract,
  instanceContract,
] as const satisfies readonly Contract[];
