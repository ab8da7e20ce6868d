// Every endpoint with its handler, for the server and the writer thread.
import { bind } from "./kernel/operation-registry.ts";
import type { OperationRegistry, Operation } from "./kernel/operation-registry.ts";
import { BOOKKEEPING, createInternalCommands } from "./internal-commands.ts";
import type { Commands } from "./internal-commands.ts";
import type { Keyring } from "./kernel/keyring.ts";
import { apiKeysContract } from "./resources/api-keys/contract.ts";
import { apiKeysService } from "./resources/api-keys/service.ts";
import { identityContract } from "./resources/api-keys/identity/contract.ts";
import { identityService } from "./resources/api-keys/identity/service.ts";
import { accessRequestsContract } from "./resources/access-requests/contract.ts";
import { accessRequestsService } from "./resources/access-requests/service.ts";
import { bypassesContract } from "./resources/bypasses/contract.ts";
import { bypassRulesContract } from "./resources/bypasses/rule-contract.ts";
import { bypassRulesService } from "./resources/bypasses/rule-service.ts";
import { bypassesService } from "./resources/bypasses/service.ts";
import { checkpointsContract } from "./resources/checkpoints/contract.ts";
import { checkpointsService } from "./resources/checkpoints/service.ts";
import { ownerRemoval } from "./owner-removal.ts";
import { invitesContract } from "./resources/invites/contract.ts";
import { endAccessInTeams } from "./resources/invites/issue.ts";
import { invitesService } from "./resources/invites/service.ts";
import { attackModeContract } from "./resources/attack-mode/contract.ts";
import { attackModeService } from "./resources/attack-mode/service.ts";
import { membersContract } from "./resources/members/contract.ts";
import { invitePeopleContract } from "./resources/members/joining/invite-contract.ts";
import { invitePeopleService } from "./resources/members/joining/invite-people.ts";
import { membersService } from "./resources/members/service.ts";
import { eventsContract } from "./resources/events/contract.ts";
import { eventsExports } from "./resources/events/export/export.ts";
import { eventStreams } from "./resources/events/feed/live.ts";
import { eventStreamContract } from "./resources/events/stream-contract.ts";
import { createEventsService } from "./resources/events/service.ts";
import { firewallContract } from "./resources/firewall/contract.ts";
import { evaluateContract } from "./resources/evaluation/contract.ts";
import { evaluateService } from "./resources/evaluation/service.ts";
import { decisionsContract } from "./resources/decisions/contract.ts";
import { decisionsService } from "./resources/decisions/service.ts";
import { gateContract } from "./resources/gate/contract.ts";
import { gateService } from "./resources/gate/service.ts";
import { gateStreams } from "./resources/gate/stream.ts";
import { firewallService } from "./resources/firewall/service.ts";
import { environmentsContract } from "./resources/environments/contract.ts";
import { environmentValuesContract } from "./resources/environments/values/values-contract.ts";
import { customEnvironmentsContract } from "./resources/environments/variables/custom-contract.ts";
import { variablesContract } from "./resources/environments/variables/variables-contract.ts";
import { environmentVersionsContract } from "./resources/environments/versions/versions-contract.ts";
import { environmentsService } from "./resources/environments/service.ts";
import { environmentValuesService } from "./resources/environments/values/values-service.ts";
import { customEnvironmentsService } from "./resources/environments/variables/custom-service.ts";
import { variablesService } from "./resources/environments/variables/variables-service.ts";
import { environmentVersionsService } from "./resources/environments/versions/versions-service.ts";
import { projectsContract } from "./resources/projects/contract.ts";
import { beginProject } from "./resources/projects/note.ts";
import { projectsService } from "./resources/projects/service.ts";
import { secretHistoryContract } from "./resources/secrets/versions/history-contract.ts";
import { secretValuesContract } from "./resources/secrets/values/contract.ts";
import { secretsContract } from "./resources/secrets/contract.ts";
import { secretHistoryService } from "./resources/secrets/versions/history-service.ts";
import { secretValuesService } from "./resources/secrets/values/service.ts";
import { secretsService } from "./resources/secrets/service.ts";
import { findDeletedTeam } from "./resources/teams/deleted.ts";
import { findTeamAccess } from "./resources/members/team-access.ts";
import { findCaller } from "./resources/tokens/directory.ts";
import { sessionsContract } from "./resources/sessions/contract.ts";
import { createSessionsService } from "./resources/sessions/service.ts";
import { signInContract } from "./resources/sign-in/contract.ts";
import { emailContract } from "./resources/sign-in/email/contract.ts";
import { emailService } from "./resources/sign-in/email/service.ts";
import { withdrawAllCodes } from "./resources/sign-in/codes/one-time-codes.ts";
import { signInService } from "./resources/sign-in/service.ts";
import { tokensContract } from "./resources/tokens/contract.ts";
import { tokensService } from "./resources/tokens/service.ts";
import { teamsContract } from "./resources/teams/contract.ts";
import { createTeamsService } from "./resources/teams/service.ts";
import { automaticContract } from "./resources/traffic/automatic/contract.ts";
import { automaticService } from "./resources/traffic/automatic/service.ts";
import { trafficContract } from "./resources/traffic/contract.ts";
import { instanceContract } from "./resources/instance/contract.ts";
import { instanceService } from "./resources/instance/service.ts";
import { metricsContract } from "./resources/traffic/metrics-contract.ts";
import { metricsService } from "./resources/traffic/metrics-service.ts";
import { trafficService } from "./resources/traffic/service.ts";
import { webhooksContract } from "./resources/webhooks/contract.ts";
import { deliveriesContract } from "./resources/webhooks/deliveries/delivery-contract.ts";
import { deliveriesService } from "./resources/webhooks/deliveries/delivery-service.ts";
import { webhooksService } from "./resources/webhooks/service.ts";
import { usersContract } from "./resources/users/contract.ts";
import { createUsersService } from "./resources/users/service.ts";
import type { EndAccess } from "./resources/users/change.ts";

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
  ...bind(identityContract, identityService),
  ...bind(teamsContract, createTeamsService(ownerRemoval)),
  ...bind(membersContract, membersService),
  ...bind(invitePeopleContract, invitePeopleService),
  ...bind(invitesContract, invitesService),
  ...bind(accessRequestsContract, accessRequestsService),
  ...bind(secretsContract, secretsService),
  ...bind(secretHistoryContract, secretHistoryService),
  ...bind(secretValuesContract, secretValuesService),
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
  ...bind(eventStreamContract, {}, eventStreams),
  ...bind(checkpointsContract, checkpointsService),
  ...bind(instanceContract, instanceService),
];

export const operations: ReadonlyMap<string, Operation> = new Map(all.map((operation) => [operation.id, operation]));

/** All operations and internal commands, with the master keys of this process. */
export function createRegistry(keyring: Keyring): OperationRegistry<Commands> {
  return {
    operations,
    directory: { findCaller, findTeamAccess, findDeletedTeam },
    commands: createInternalCommands(keyring),
    bookkeeping: BOOKKEEPING,
    keyring,
  };
}
