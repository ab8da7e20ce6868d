// The handlers of webhooks.
import { isAdministrator } from "../../platform/kernel/caller.ts";
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { requireFreshProof, requireUnbounded } from "../../platform/kernel/giving.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { MAX_LIMIT, paginate, paginationBounds, positionAt } from "../../platform/kernel/pagination.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { countWebhook, emit } from "../events/emit.ts";
import { BLANK, isNoChange, planChange, sendsMore } from "./change.ts";
import type { PlannedChange } from "./change.ts";
import { DEFAULT_OVERLAP_MS } from "./contract.ts";
import type { webhooksContract } from "./contract.ts";
import { requireDestination, requireKnownEvents } from "./destination.ts";
import { getWebhook } from "./find.ts";
import { findHealth, healthMember } from "./health.ts";
import { NEVER, clearFailures, holdQueue, insertQueue, retireQueue, revokeLease } from "../queue/queue-store.ts";
import { isPaused } from "../queue/replay.ts";
import { createKeyPair, createSigningSecret, storeSecret } from "./secrets.ts";
import { deleteExpiring, deleteKind, expireSecrets } from "./secrets-store.ts";
import { countWebhooks, deleteWebhook, insertWebhook, listWebhooks, updateWebhook } from "./store.ts";
import type { WebhookSettings } from "./store.ts";
import { eventPayload, overlapEnd, projectsMetadata, publicWebhook, webhookState } from "./view.ts";
import { MAX_WEBHOOKS } from "./webhook-schema.ts";

type WebhookCall = Pick<Call, "scope" | "now" | "keyring">;

/** As refusals of a credential with an end or networks name it. */
const A_WEBHOOK = "a webhook";

/** The webhook as it is now, for the response. */
async function respond(tx: Tx, call: Pick<Call, "scope" | "now">, id: string) {
  const row = await getWebhook(tx, call, id);
  return { ...publicWebhook(row, call), revision: row.revision };
}

async function storeSecrets(
  tx: Tx,
  call: WebhookCall,
  webhookId: string,
  before: WebhookSettings,
  { secrets, deleted }: Pick<PlannedChange, "secrets" | "deleted">,
): Promise<void> {
  const { ownerId } = call.scope;
  for (const kind of deleted) await deleteKind(tx, { ownerId, webhookId, kind });
  for (const [at, secret] of secrets.entries()) {
    await storeSecret(tx, call, { ownerId, webhookId }, { ...secret, version: before.lastSecret + at + 1 });
  }
}

/**
 * Updates the queue after a change. The lease ends, so that no process goes on with the webhook as it was. The queue of an inactive
 * webhook is held. When `active` or the URL changed, the webhook is tried at once.
 */
async function updateQueue(tx: Tx, ownerId: string, id: string, before: WebhookSettings, after: WebhookSettings) {
  const key = { ownerId, webhookId: id };
  const isMoved = after.url !== before.url;
  if (after.isActive !== before.isActive || (isMoved && after.isActive === 1)) {
    const isHeld = after.isActive === 0 || (await isPaused(tx, { ...key, ordering: after.ordering }));
    await holdQueue(tx, { ...key, heldUntil: isHeld ? NEVER : 0, idleSince: after.inactiveSince });
  } else {
    await revokeLease(tx, key);
  }
  if (after.isActive > before.isActive || isMoved) await clearFailures(tx, key);
}

export const webhooksService: Implements<typeof webhooksContract> = {
  async createWebhook(tx, call) {
    const { body, scope, now } = call;
    const { ownerId, team } = scope;
    requireUnbounded(call.caller, A_WEBHOOK);
    requireDestination(call, body.url);
    requireKnownEvents(body.events);
    if (((await countWebhooks(tx, { ownerId }))?.count ?? 0) >= MAX_WEBHOOKS) {
      throw new ApiError("too_many_webhooks", `A team or account has at most ${MAX_WEBHOOKS} webhooks`);
    }
    const plan = planChange(BLANK, body, now);
    const secret = createSigningSecret();
    const secrets = [{ kind: "secret", value: secret } as const, ...plan.secrets];
    const settings = { ...plan.settings, lastSecret: secrets.length };
    const id = newId("webhook");
    await insertWebhook(tx, {
      ...settings,
      ownerId,
      id,
      teamId: team?.id ?? null,
      userId: team ? null : ownerId,
      now,
      position: positionAt(now),
    });
    await insertQueue(tx, { ownerId, webhookId: id, heldUntil: settings.isActive === 1 ? 0 : NEVER });
    await countWebhook(tx, ownerId, 1);
    await storeSecrets(tx, call, id, BLANK, { secrets, deleted: [] });
    const row = await getWebhook(tx, call, id);
    await emit(tx, call, {
      type: "webhook-created",
      ownerId,
      entityId: id,
      text: `created the webhook to ${row.url}`,
      payload: eventPayload(row),
      next: webhookState(row),
    });
    return { ...publicWebhook(row, call), secret, revision: row.revision };
  },

  async listWebhooks(tx, call) {
    const { query, scope } = call;
    const bounds = paginationBounds({ limit: MAX_LIMIT, ...query });
    const rows = await listWebhooks(tx, { ownerId: scope.ownerId, projectId: query.projectId ?? null }, bounds);
    const { items, page } = paginate(rows, bounds);
    const found = await findHealth(tx, call, items);
    const webhooks = items.map((row) => ({
      ...publicWebhook(row, call),
      ...healthMember(found, row.id),
      projectsMetadata: projectsMetadata(row),
    }));
    return Object.assign(webhooks, { page });
  },

  async getWebhook(tx, call) {
    const row = await getWebhook(tx, call, call.params.webhookId);
    const found = await findHealth(tx, call, [row]);
    return { ...publicWebhook(row, call), ...healthMember(found, row.id), revision: row.revision };
  },

  async updateWebhook(tx, call) {
    const { body, scope, now } = call;
    const { ownerId } = scope;
    const before = await getWebhook(tx, call, call.params.webhookId);
    const { id } = before;
    requireRevision(call, before.revision);
    requireDestination(call, body.url);
    requireKnownEvents(body.events);
    const plan = planChange(before, body, now);
    if (isNoChange(before, plan)) return await respond(tx, call, id);
    if (sendsMore(before, plan)) {
      requireFreshProof(call.caller, now);
      requireUnbounded(call.caller, A_WEBHOOK);
    }
    await updateWebhook(tx, { ...plan.settings, ownerId, id, now });
    await storeSecrets(tx, call, id, before, plan);
    await updateQueue(tx, ownerId, id, before, plan.settings);
    const after = await getWebhook(tx, call, id);
    await emit(tx, call, {
      type: "webhook-updated",
      ownerId,
      entityId: id,
      text: `changed the webhook to ${after.url}`,
      payload: eventPayload(after),
      previous: webhookState(before),
      next: webhookState(after),
    });
    return await respond(tx, call, id);
  },

  async rotateWebhookSecret(tx, call) {
    const { overlapMs = DEFAULT_OVERLAP_MS, force = false } = call.body ?? {};
    const { now, scope } = call;
    const { ownerId } = scope;
    requireUnbounded(call.caller, "the secret of a webhook");
    const before = await getWebhook(tx, call, call.params.webhookId);
    const { id } = before;
    requireRevision(call, before.revision);
    const runsUntil = overlapEnd(before, call);
    if (runsUntil !== null && !force) {
      throw new ApiError(
        "rotation_pending",
        "The secret before this one still signs; wait for previousSecretExpiresAt, or send force: true to end it now",
        { previousSecretExpiresAt: runsUntil },
      );
    }
    await deleteExpiring(tx, { ownerId, webhookId: id });
    await expireSecrets(tx, { ownerId, webhookId: id, expiresAt: now + overlapMs });
    const secret = createSigningSecret();
    const pair = before.publicKey === null ? null : createKeyPair();
    const secrets = [
      { kind: "secret", value: secret } as const,
      ...(pair ? [{ kind: "key", value: pair.privateKey } as const] : []),
    ];
    const { lastSecret } = before;
    await updateWebhook(tx, {
      ...before,
      publicKey: pair?.publicKey ?? null,
      lastSecret: lastSecret + secrets.length,
      ownerId,
      id,
      now,
    });
    await storeSecrets(tx, call, id, before, { secrets, deleted: [] });
    await revokeLease(tx, { ownerId, webhookId: id });
    const after = await getWebhook(tx, call, id);
    const previousSecretExpiresAt = overlapEnd(after, call);
    await emit(tx, call, {
      type: "webhook-secret-rotate",
      ownerId,
      entityId: id,
      text: `rotated the secret of the webhook to ${after.url}`,
      payload: eventPayload(after),
      previous: { publicKey: before.publicKey, previousSecretExpiresAt: runsUntil },
      next: { publicKey: after.publicKey, previousSecretExpiresAt },
    });
    return { ...publicWebhook(after, call), secret, revision: after.revision };
  },

  async testWebhook(tx, call) {
    const { id: webhookId, ownerId, url } = await getWebhook(tx, call, call.params.webhookId);
    const { sequence, createdAt } = await emit(tx, call, {
      type: "webhook-test",
      ownerId,
      entityId: webhookId,
      text: `sent a test to ${url}`,
      payload: { webhookUrl: url, webhookId },
      testedWebhook: webhookId,
    });
    return { effect: { ownerId, webhookId, sequence, createdAt, isOperator: isAdministrator(call.caller) } };
  },

  async deleteWebhook(tx, call) {
    const { ownerId } = call.scope;
    const row = await getWebhook(tx, call, call.params.webhookId);
    const { id } = row;
    requireRevision(call, row.revision);
    await deleteWebhook(tx, { ownerId, id });
    await countWebhook(tx, ownerId, -1);
    await retireQueue(tx, { ownerId, webhookId: id, now: call.now });
    await emit(tx, call, {
      type: "webhook-deleted",
      ownerId,
      entityId: id,
      text: `deleted the webhook to ${row.url}`,
      payload: eventPayload(row),
      previous: webhookState(row),
    });
    return null;
  },
};
