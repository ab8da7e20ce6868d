// Opens a webhook for sending: its URL, its limits, and its keys, unsealed.
import { createPrivateKey, createSecretKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { WebhookKey } from "../queue/vocabulary.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { areResponsesLogged } from "./rules.ts";
import { openSecret } from "./secrets.ts";
import { listSecrets } from "./secrets-store.ts";
import type { SecretRow } from "./secrets-store.ts";
import { findWebhook } from "./store.ts";

/** A signing value; null: it does not expire. */
export interface Expiring<T> {
  readonly value: T;
  readonly expiresAt: number | null;
}

/** A signing secret as key objects: passing bytes to each signature would cost more than signing. */
export interface SecretKeys {
  /** The text itself. */
  readonly text: KeyObject;
  /** The bytes that the text encodes. */
  readonly bytes: KeyObject;
}

export interface Target {
  readonly webhookId: string;
  /** The revision of the webhook that this was opened from. */
  readonly revision: number;
  readonly ownerId: string;
  /** Null when a user owns it. */
  readonly teamId: string | null;
  readonly url: string;
  readonly isStrict: boolean;
  readonly concurrency: number;
  /** Deliveries a second; null: no limit. */
  readonly rateLimit: number | null;
  /** The present secret first. */
  readonly secrets: readonly Expiring<SecretKeys>[];
  readonly keys: readonly Expiring<KeyObject>[];
  readonly logsResponses: boolean;
  /** The owner's own headers. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Opened targets by webhook, the first opened first. A changed webhook has another revision. */
export type TargetCache = Map<string, Target>;

/** More than a process leases at a time, so that webhooks which are leased again and again are opened once. */
const MAX_CACHED = 4_096;

function openKey(pkcs8: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8, "base64"), format: "der", type: "pkcs8" });
}

function openKeys(secret: string): SecretKeys {
  const encoded = secret.slice(secret.indexOf("_") + 1);
  return { text: createSecretKey(Buffer.from(secret)), bytes: createSecretKey(Buffer.from(encoded, "base64")) };
}

/** Opens the webhook; returns undefined when it was deleted. Throws as `unseal` does. */
export async function openTarget(
  tx: Tx,
  keyring: Keyring,
  cache: TargetCache,
  { ownerId, webhookId }: WebhookKey,
): Promise<Target | undefined> {
  const row = await findWebhook(tx, { ownerId, id: webhookId });
  if (!row) {
    cache.delete(webhookId);
    return undefined;
  }
  const known = cache.get(webhookId);
  if (known?.revision === row.revision) return known;
  const rows = await listSecrets(tx, { ownerId, webhookId });
  const open = <T>(kind: string, read: (value: string) => T): Expiring<T>[] =>
    rows
      .filter((secret: SecretRow) => secret.kind === kind)
      .map((secret) => ({ value: read(openSecret(keyring, secret)), expiresAt: secret.expiresAt }));
  const target: Target = {
    webhookId,
    revision: row.revision,
    ownerId,
    teamId: row.teamId,
    url: row.url,
    isStrict: row.ordering === "strict",
    concurrency: row.concurrency,
    rateLimit: row.rateLimit,
    logsResponses: areResponsesLogged(row),
    secrets: open("secret", openKeys),
    keys: open("key", openKey),
    headers: open("headers", (value) => JSON.parse(value) as Record<string, string>)[0]?.value ?? {},
  };
  cache.delete(webhookId);
  if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value as string);
  cache.set(webhookId, target);
  return target;
}
