// Owners with webhooks: of some a backlog waits for all of them to be switched on.
import { createSigningSecret, storeSecret } from "../src/events/webhooks/secrets.ts";
import { insertWebhook, updateWebhook } from "../src/events/webhooks/store.ts";
import { NEVER, insertQueue } from "../src/events/queue/queue-store.ts";
import { BLANK } from "../src/events/webhooks/change.ts";
import type { Keyring } from "../src/platform/kernel/keyring.ts";
import { newId, randomHex } from "../src/platform/kernel/ids.ts";
import { positionAt } from "../src/platform/kernel/pagination.ts";
import type { Tx } from "../src/platform/kernel/tx.ts";
import { countWebhook, emit } from "../src/events/events/emit.ts";
import { systemAct } from "../src/events/events/system.ts";
import { seedOwner } from "./seed.ts";

/** What is published: about as much as a deployment has to say. */
export const PAYLOAD = {
  team: null,
  user: { id: "0123456789abcdefghijklmn" },
  project: { id: "prj_0123456789abcdefghij", name: "storefront" },
  deployment: { id: "dpl_0123456789abcdefghij", url: "storefront.example.com", meta: { commit: randomHex(40) } },
  links: { deployment: "https://example.com/deployments/dpl_0123456789abcdefghij" },
  log: randomHex(1_500),
};
export const PUBLISHED_TYPE = "deployment.created";

export interface HookSet {
  readonly ownerId: string;
  readonly token: string;
  readonly webhookIds: readonly string[];
}

export interface HookSetWish {
  readonly username: string;
  /** Of all webhooks, or of each by its number. */
  readonly url: string | ((at: number) => string);
  readonly webhooks: number;
  readonly concurrency: number;
  /** Events that wait for each webhook. */
  readonly events: number;
}

/** An owner and webhooks that are switched off. */
export async function seedHookSet(
  tx: Tx,
  keyring: Keyring,
  { username, url, webhooks, concurrency, events }: HookSetWish,
): Promise<HookSet> {
  const now = Date.now();
  const { ownerId, token } = await seedOwner(tx, now, username);
  const urlAt = typeof url === "string" ? () => url : url;
  const settings = { ...BLANK, events: JSON.stringify([PUBLISHED_TYPE]), concurrency, lastSecret: 1 };
  const webhookIds: string[] = [];
  for (let at = 0; at < webhooks; at++) {
    const id = newId("webhook");
    await insertWebhook(tx, {
      ...settings,
      url: urlAt(at),
      ownerId,
      id,
      teamId: null,
      userId: ownerId,
      now,
      position: positionAt(now),
    });
    await insertQueue(tx, { ownerId, webhookId: id, heldUntil: NEVER });
    await countWebhook(tx, ownerId, 1);
    const secret = { version: 1, kind: "secret", value: createSigningSecret() } as const;
    await storeSecret(tx, { keyring, now }, { ownerId, webhookId: id }, secret);
    webhookIds.push(id);
  }
  for (let at = 0; at < events; at++) {
    await emit(tx, systemAct(now + at), {
      type: PUBLISHED_TYPE,
      ownerId,
      entityId: ownerId,
      text: `published ${PUBLISHED_TYPE}`,
      payload: PAYLOAD,
    });
  }
  for (const [at, id] of webhookIds.entries())
    await updateWebhook(tx, {
      ...settings,
      url: urlAt(at),
      isActive: 0,
      inactiveReason: "request",
      inactiveSince: now,
      ownerId,
      id,
      now,
    });
  return { ownerId, token, webhookIds };
}
