// Every internal command by its name. A caller with another name, input or result does not compile, in the serving threads and
// in the writer thread alike.
import { pruneIdempotencyRecords } from "./operations/idempotency.ts";
import { queueCommands } from "./delivery/queue/queue.ts";
import { pruneDeliveries } from "./delivery/queue/prune.ts";
import { repairDeliveryTimes } from "./delivery/queue/clock-skew.ts";
import { continueReplay } from "./delivery/queue/replay.ts";
import type { FindReplayed } from "./delivery/queue/replay.ts";
import type { InternalCommands } from "./kernel/internal-commands.ts";
import type { Keyring } from "./kernel/keyring.ts";
import type { Tx } from "./kernel/tx.ts";
import { ownerRemoval } from "./owner-removal.ts";
import { forgetDeletedTeams } from "./resources/teams/deleted.ts";
import { endAttackModes } from "./resources/attack-mode/end.ts";
import { keepBots, storeBot } from "./resources/bots/bots.ts";
import { endBypasses } from "./resources/bypasses/removal.ts";
import { checkpointDue } from "./resources/checkpoints/make.ts";
import { pruneEvents } from "./resources/checkpoints/prune.ts";
import { rotateInviteCode } from "./resources/invites/issue.ts";
import { repairMailTimes, createOutboxCommands } from "./resources/mails/outbox.ts";
import { pruneMailCounts } from "./resources/mails/quota.ts";
import { changeStop } from "./resources/mails/stop.ts";
import { exchangeIdentity, pruneIdentity, recordIdentityRefusal } from "./resources/api-keys/identity/issue.ts";
import { oauthCommands } from "./resources/oauth/commands.ts";
import { pruneSessions } from "./resources/sessions/end.ts";
import { createSignInCommands } from "./resources/sign-in/commands.ts";
import { bootstrapInstance } from "./resources/tokens/bootstrap.ts";
import { issueTokenForUser, recordUses } from "./resources/tokens/commands.ts";
import { refreshSearch } from "./resources/search/entries.ts";
import { listOwnerAddresses } from "./resources/members/owner-addresses.ts";
import { purgeSecrets } from "./resources/secrets/deletion.ts";
import { announceExpiry } from "./resources/secrets/due.ts";
import { joinWithAccount } from "./resources/members/joining/join-with-account.ts";
import { applySsoRoles } from "./resources/members/sso-roles.ts";
import { renewMailedCode } from "./resources/sign-in/codes/mailed-codes.ts";
import { pruneDecisions } from "./resources/decisions/prune.ts";
import { forgetEngines } from "./resources/firewall/crs-engine.ts";
import { learnUsualTraffic } from "./resources/traffic/automatic/learn.ts";
import { pruneTraffic } from "./resources/traffic/prune.ts";
import { createDisableWebhook } from "./resources/webhooks/disable.ts";
import { findWebhook } from "./resources/webhooks/store.ts";

export const outboxCommands = createOutboxCommands({ invite: rotateInviteCode, oneTimeCode: renewMailedCode });

const findReplayed: FindReplayed = async (tx, { ownerId, webhookId }) =>
  await findWebhook(tx, { ownerId, id: webhookId });

/** The commands with the master keys of this process. */
export function createInternalCommands(keyring: Keyring) {
  return {
    ...queueCommands,
    ...createSignInCommands(applySsoRoles),
    ...oauthCommands,
    bootstrapInstance,
    exchangeIdentity,
    recordIdentityRefusal,
    pruneIdentity,
    recordUses,
    issueToken: issueTokenForUser,
    pruneSessions,
    ...outboxCommands,
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
    continueRemoval: (tx: Tx, _input: null, now: number) => ownerRemoval.continue(tx, now),
    storeBot,
    keepBots,
    repairDeliveryTimes,
    repairMailTimes,
  } satisfies InternalCommands;
}

export type Commands = ReturnType<typeof createInternalCommands>;

/** What deliveries do with their queue, many times a second. */
export const BOOKKEEPING: ReadonlySet<string> = new Set<keyof Commands>([
  "claimWebhooks",
  "undoClaim",
  "renewLeases",
  "storeOutcomes",
]);
