// Every endpoint with its handler, for the server and the writer thread.
import { bind } from "../../platform/kernel/operation-registry.ts";
import type { OperationRegistry, Operation } from "../../platform/kernel/operation-registry.ts";
import { BOOKKEEPING, createInternalChanges } from "./internal-changes.ts";
import type { Changes } from "./internal-changes.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import { apiKeysContract } from "../../identity/api-keys/contract.ts";
import { apiKeysService } from "../../identity/api-keys/service.ts";
import { trustRulesContract } from "../../identity/workload/contract.ts";
import { trustRulesService } from "../../identity/workload/service.ts";
import { accessRequestsContract } from "../../teams/access-requests/contract.ts";
import { accessRequestsService } from "../../teams/access-requests/service.ts";
import { bypassesContract } from "../../firewall/bypasses/contract.ts";
import { bypassRulesContract } from "../../firewall/bypasses/rule-contract.ts";
import { bypassRulesService } from "../../firewall/bypasses/rule-service.ts";
import { bypassesService } from "../../firewall/bypasses/service.ts";
import { checkpointsContract } from "../../events/checkpoints/contract.ts";
import { checkpointsService } from "../../events/checkpoints/service.ts";
import { ownerRemoval } from "./owner-removal.ts";
import { invitesContract } from "../../teams/invites/contract.ts";
import { endAccessInTeams } from "../../teams/invites/issue.ts";
import { invitesService } from "../../teams/invites/service.ts";
import { attackModeContract } from "../../firewall/attack-mode/contract.ts";
import { attackModeService } from "../../firewall/attack-mode/service.ts";
import { membersContract } from "../../teams/members/contract.ts";
import { invitePeopleContract } from "../../teams/members/joining/invite-contract.ts";
import { invitePeopleService } from "../../teams/members/joining/invite-people.ts";
import { membersService } from "../../teams/members/service.ts";
import { eventsContract } from "../../events/events/contract.ts";
import { eventExports, eventsExports } from "../../events/events/export/export.ts";
import { eventExportContract } from "../../events/events/export/export-contract.ts";
import { eventStreams } from "../../events/events/feed/live.ts";
import { eventStreamContract } from "../../events/events/stream-contract.ts";
import { createEventsService } from "../../events/events/service.ts";
import { firewallContract } from "../../firewall/configurations/contract.ts";
import { evaluateContract } from "../../firewall/evaluation/contract.ts";
import { evaluateService } from "../../firewall/evaluation/service.ts";
import { decisionsContract } from "../../firewall/decisions/contract.ts";
import { decisionsService } from "../../firewall/decisions/service.ts";
import { gateContract } from "../../firewall/bundles/contract.ts";
import { gateService } from "../../firewall/bundles/service.ts";
import { gateStreams } from "../../firewall/bundles/stream.ts";
import { firewallService } from "../../firewall/configurations/service.ts";
import { environmentsContract } from "../../secrets/environments/contract.ts";
import { environmentValuesContract } from "../../secrets/environments/values/values-contract.ts";
import { customEnvironmentsContract } from "../../secrets/environments/variables/custom-contract.ts";
import { variablesContract } from "../../secrets/environments/variables/variables-contract.ts";
import { environmentVersionsContract } from "../../secrets/environments/versions/versions-contract.ts";
import { findUsedSecrets } from "../../secrets/environments/used-secrets.ts";
import { environmentsService } from "../../secrets/environments/service.ts";
import { environmentValuesService } from "../../secrets/environments/values/values-service.ts";
import { customEnvironmentsService } from "../../secrets/environments/variables/custom-service.ts";
import { variablesService } from "../../secrets/environments/variables/variables-service.ts";
import { environmentVersionsService } from "../../secrets/environments/versions/versions-service.ts";
import { projectsContract } from "../../teams/projects/contract.ts";
import { beginProject } from "../../teams/projects/existence.ts";
import { projectsService } from "../../teams/projects/service.ts";
import { secretHistoryContract } from "../../secrets/secrets/versions/history-contract.ts";
import { secretValuesContract } from "../../secrets/secrets/values/contract.ts";
import { secretsContract } from "../../secrets/secrets/contract.ts";
import { secretHistoryService } from "../../secrets/secrets/versions/history-service.ts";
import { secretValuesService } from "../../secrets/secrets/values/service.ts";
import { secretBulkContract } from "../../secrets/secrets/bulk/contract.ts";
import { secretBulkService } from "../../secrets/secrets/bulk/service.ts";
import { secretListContract } from "../../secrets/secrets/list-contract.ts";
import { createSecretListService } from "../../secrets/secrets/list-service.ts";
import { secretsService } from "../../secrets/secrets/service.ts";
import { findDeletedTeam } from "../../teams/teams/deleted.ts";
import { findTeamAccess } from "../../identity/team-access/team-access.ts";
import { findCaller } from "../../identity/tokens/directory.ts";
import { sessionsContract } from "../../identity/sessions/contract.ts";
import { createSessionsService } from "../../identity/sessions/service.ts";
import { signInContract } from "../../identity/methods/contract.ts";
import { emailContract } from "../../identity/methods/email/contract.ts";
import { emailService } from "../../identity/methods/email/service.ts";
import { withdrawAllCodes } from "../../identity/methods/codes/one-time-codes.ts";
import { signInService } from "../../identity/methods/service.ts";
import { tokensContract } from "../../identity/tokens/contract.ts";
import { tokensService } from "../../identity/tokens/service.ts";
import { attentionContract } from "../../teams/attention/contract.ts";
import { attentionService } from "../../teams/attention/service.ts";
import { teamsContract } from "../../teams/teams/contract.ts";
import { createTeamsService } from "../../teams/teams/service.ts";
import { automaticContract } from "../../firewall/traffic/automatic/contract.ts";
import { automaticService } from "../../firewall/traffic/automatic/service.ts";
import { trafficContract } from "../../firewall/traffic/contract.ts";
import { instanceContract } from "../instance/contract.ts";
import { instanceService } from "../instance/service.ts";
import { metricsContract } from "../../firewall/traffic/metrics-contract.ts";
import { metricsService } from "../../firewall/traffic/metrics-service.ts";
import { trafficService } from "../../firewall/traffic/service.ts";
import { webhooksContract } from "../../events/webhooks/contract.ts";
import { deliveriesContract } from "../../events/webhooks/deliveries/delivery-contract.ts";
import { deliveriesService } from "../../events/webhooks/deliveries/delivery-service.ts";
import { webhooksService } from "../../events/webhooks/service.ts";
import { usersContract } from "../../identity/accounts/contract.ts";
import { createUsersService } from "../../identity/accounts/service.ts";
import type { EndAccess } from "../../identity/accounts/change.ts";

const endAccess: EndAccess = async (tx, act, person) => {
  if (person.isSuspended) await withdrawAllCodes(tx, person.userId);
  await endAccessInTeams(tx, act, person);
};

const all = [
  ...bind(usersContract, createUsersService(ownerRemoval, endAccess)),
  ...bind(sessionsContract, createSessionsService(withdrawAllCodes)),
  ...bind(signInContract, signInService),
  ...bind(emailContract, emailService),
  ...bind(tokensContract, tokensService),
  ...bind(apiKeysContract, apiKeysService),
  ...bind(trustRulesContract, trustRulesService),
  ...bind(teamsContract, createTeamsService(ownerRemoval)),
  ...bind(attentionContract, attentionService),
  ...bind(membersContract, membersService),
  ...bind(invitePeopleContract, invitePeopleService),
  ...bind(invitesContract, invitesService),
  ...bind(accessRequestsContract, accessRequestsService),
  ...bind(secretListContract, createSecretListService(findUsedSecrets)),
  ...bind(secretsContract, secretsService),
  ...bind(secretHistoryContract, secretHistoryService),
  ...bind(secretValuesContract, secretValuesService),
  ...bind(secretBulkContract, secretBulkService),
  ...bind(environmentsContract, environmentsService),
  ...bind(environmentVersionsContract, environmentVersionsService),
  ...bind(environmentValuesContract, environmentValuesService),
  ...bind(variablesContract, variablesService),
  ...bind(customEnvironmentsContract, customEnvironmentsService),
  ...bind(projectsContract, projectsService),
  ...bind(attackModeContract, attackModeService),
  ...bind(automaticContract, automaticService),
  ...bind(bypassesContract, bypassesService),
  ...bind(bypassRulesContract, bypassRulesService),
  ...bind(firewallContract, firewallService),
  ...bind(trafficContract, trafficService),
  ...bind(metricsContract, metricsService),
  ...bind(evaluateContract, evaluateService),
  ...bind(gateContract, gateService, gateStreams),
  ...bind(decisionsContract, decisionsService),
  ...bind(webhooksContract, webhooksService),
  ...bind(deliveriesContract, deliveriesService),
  ...bind(eventsContract, createEventsService(beginProject), eventsExports),
  ...bind(eventExportContract, {}, eventExports),
  ...bind(eventStreamContract, {}, eventStreams),
  ...bind(checkpointsContract, checkpointsService),
  ...bind(instanceContract, instanceService),
];

export const operations: ReadonlyMap<string, Operation> = new Map(all.map((operation) => [operation.id, operation]));

/** All operations and internal changes, with the master keys of this process. */
export function createRegistry(keyring: Keyring): OperationRegistry<Changes> {
  return {
    operations,
    directory: { findCaller, findTeamAccess, findDeletedTeam },
    changes: createInternalChanges(keyring),
    bookkeeping: BOOKKEEPING,
    keyring,
  };
}
