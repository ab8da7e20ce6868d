// Every internal change by its name. A caller with another name, input or result does not compile, in the serving threads and
// in the writer thread alike.
import { pruneIdempotencyRecords } from "../../platform/operations/idempotency.ts";
import { queueChanges } from "../../events/queue/queue.ts";
import { pruneDeliveries } from "../../events/queue/prune.ts";
import { repairDeliveryTimes } from "../../events/queue/clock-skew.ts";
import { continueReplay } from "../../events/queue/replay.ts";
import type { FindReplayed } from "../../events/queue/replay.ts";
import type { InternalChanges } from "../../platform/kernel/internal-changes.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { ownerRemoval } from "./owner-removal.ts";
import { forgetDeletedTeams } from "../../teams/teams/deleted.ts";
import { endAttackModes } from "../../firewall/attack-mode/end.ts";
import { keepBots, storeBot } from "../../firewall/bots/bots.ts";
import { endBypasses } from "../../firewall/bypasses/removal.ts";
import { checkpointDue } from "../../events/checkpoints/make.ts";
import { pruneEvents } from "../../events/checkpoints/prune.ts";
import { rotateInviteCode } from "../../teams/invites/issue.ts";
import { repairMailTimes, createOutboxChanges } from "../../events/mails/outbox.ts";
import { pruneMailCounts } from "../../events/mails/quota.ts";
import { changeStop } from "../../events/mails/stop.ts";
import { exchangeIdentity, pruneExchanges, recordExchangeRefusal } from "../../identity/workload/issue.ts";
import { oauthChanges } from "../../identity/programs/internal-changes.ts";
import { pruneSessions } from "../../identity/sessions/end.ts";
import { createSignInChanges } from "../../identity/methods/internal-changes.ts";
import { bootstrapInstance } from "../../identity/tokens/bootstrap.ts";
import { issueTokenForUser, recordUses } from "../../identity/tokens/internal-changes.ts";
import { refreshSearch } from "../../platform/store/search/entries.ts";
import { listOwnerAddresses } from "../../teams/members/owner-addresses.ts";
import { purgeSecrets } from "../../secrets/secrets/deletion.ts";
import { announceExpiry } from "../../secrets/secrets/due.ts";
import { joinWithAccount } from "../../teams/members/joining/join-with-account.ts";
import { applySsoRoles } from "../../teams/members/sso-roles.ts";
import { renewMailedCode } from "../../identity/methods/codes/mailed-codes.ts";
import { pruneDecisions } from "../../firewall/decisions/prune.ts";
import { forgetEngines } from "../../firewall/configurations/crs-engine.ts";
import { learnUsualTraffic } from "../../firewall/traffic/automatic/learn.ts";
import { pruneTraffic } from "../../firewall/traffic/prune.ts";
import { createDisableWebhook } from "../../events/webhooks/disable.ts";
import { findWebhook } from "../../events/webhooks/store.ts";

export const outboxChanges = createOutboxChanges({ invite: rotateInviteCode, oneTimeCode: renewMailedCode });

const findReplayed: FindReplayed = async (tx, { ownerId, webhookId }) =>
  await findWebhook(tx, { ownerId, id: webhookId });

/** Internal changes with the master keys of this process. */
export function createInternalChanges(keyring: Keyring) {
  return {
    ...queueChanges,
    ...createSignInChanges(applySsoRoles),
    ...oauthChanges,
    bootstrapInstance,
    exchangeIdentity,
    recordExchangeRefusal,
    pruneExchanges,
    recordUses,
    issueToken: issueTokenForUser,
    pruneSessions,
    ...outboxChanges,
    pruneIdempotencyRecords,
    joinWithAccount,
    changeStop,
    announceExpiry,
    purgeSecrets,
    endAttackModes,
    learnUsualTraffic,
    endBypasses,
    pruneTraffic,
    pruneDecisions,
    forgetEngines,
    pruneMailCounts,
    disableWebhook: createDisableWebhook(listOwnerAddresses),
    continueReplay: (tx: Tx, _input: null, now: number) => continueReplay(tx, findReplayed, now),
    pruneEvents: (tx: Tx, input: { readonly retentionDays: number }, now: number) =>
      pruneEvents(tx, keyring, forgetDeletedTeams, input, now),
    checkpointDue: (tx: Tx, _input: null, now: number) => checkpointDue(tx, keyring, now),
    pruneDeliveries,
    refreshSearch: (tx: Tx, _input: null) => refreshSearch(tx),
    continueRemoval: (tx: Tx, ownerId: string, now: number) => ownerRemoval.continue(tx, ownerId, now),
    storeBot,
    keepBots,
    repairDeliveryTimes,
    repairMailTimes,
  } satisfies InternalChanges;
}

export type Changes = ReturnType<typeof createInternalChanges>;

/** What deliveries do with their queue, many times a second. */
export const BOOKKEEPING: ReadonlySet<string> = new Set<keyof Changes>([
  "claimWebhooks",
  "undoClaim",
  "renewLeases",
  "storeOutcomes",
]);
