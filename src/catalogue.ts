// Every endpoint with its verb, for the server and the writer thread.
import { pruneIdempotencyRecords } from "./http/idempotency.ts";
import { bind } from "./kernel/catalogue.ts";
import type { Catalogue } from "./kernel/catalogue.ts";
import { apiKeysContract } from "./resources/api-keys/contract.ts";
import { apiKeysService } from "./resources/api-keys/service.ts";
import { accessRequestsContract } from "./resources/access-requests/contract.ts";
import { accessRequestsService } from "./resources/access-requests/service.ts";
import { invitesContract } from "./resources/invites/contract.ts";
import { invitesService } from "./resources/invites/service.ts";
import { claimMails, deleteMail, postponeMail } from "./resources/mails/outbox.ts";
import { membersContract } from "./resources/members/contract.ts";
import { membersService } from "./resources/members/service.ts";
import { eventsContract } from "./resources/events/contract.ts";
import { eventsService } from "./resources/events/service.ts";
import { findTeamAccess } from "./resources/teams/directory.ts";
import { findCaller } from "./resources/tokens/directory.ts";
import { issueTokenTask, noteUses } from "./resources/tokens/tasks.ts";
import { tokensContract } from "./resources/tokens/contract.ts";
import { tokensService } from "./resources/tokens/service.ts";
import { teamsContract } from "./resources/teams/contract.ts";
import { teamsService } from "./resources/teams/service.ts";
import { usersContract } from "./resources/users/contract.ts";
import { usersService } from "./resources/users/service.ts";

const operations = [
  ...bind(usersContract, usersService),
  ...bind(tokensContract, tokensService),
  ...bind(apiKeysContract, apiKeysService),
  ...bind(teamsContract, teamsService),
  ...bind(membersContract, membersService),
  ...bind(invitesContract, invitesService),
  ...bind(accessRequestsContract, accessRequestsService),
  ...bind(eventsContract, eventsService),
];

export const catalogue: Catalogue = {
  operations: new Map(operations.map((operation) => [operation.id, operation])),
  directory: { findCaller, findTeamAccess },
  tasks: { pruneIdempotencyRecords, noteUses, issueToken: issueTokenTask, claimMails, deleteMail, postponeMail },
};
