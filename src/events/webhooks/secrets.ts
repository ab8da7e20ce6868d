// Creates, seals and opens the secrets of webhooks: signing secrets, key pairs, and the values of their own headers. No other file
// does.
import { createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import type { Call } from "../../platform/kernel/contract.ts";
import { UnreadableError } from "../../platform/kernel/keyring.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { WebhookKey } from "../queue/vocabulary.ts";
import { seal, unseal } from "../../platform/keyring/sealing/seal.ts";
import { sealedRows } from "../../platform/keyring/sealing/sealed-rows.ts";
import { insertSecret } from "./secrets-store.ts";
import type { SecretRow } from "./secrets-store.ts";

/** `secret`: `whsec_…`, `key`: an Ed25519 private key in PKCS #8, `headers`: JSON of names and values. */
export type SecretKind = "secret" | "key" | "headers";

/** Standard Webhooks asks for 24 to 64 bytes; the string itself is the key of the older signature. */
const SECRET_BYTES = 32;

/** Binds a sealed value to its place: it does not open for another owner, webhook or version. */
function sealingContext(ownerId: string, webhookId: string, version: number): string {
  return `webhook|${ownerId}|${webhookId}|${version}`;
}

/** Begins what is sealed, so that a row whose kind was changed does not open. Values of older versions begin otherwise. */
const markOf = (kind: string) => `\0${kind}\0`;

/** Values of older versions say what they are by their form. */
const OLDER_FORMS: Readonly<Record<SecretKind, RegExp>> = {
  secret: /^whsec_[A-Za-z0-9+/]+={0,2}$/,
  key: /^[A-Za-z0-9+/]+={0,2}$/,
  headers: /^\{/,
};

/** The value of what was sealed; throws an UnreadableError for one of another kind. */
function readKind(kind: SecretKind, text: string): string {
  const mark = markOf(kind);
  if (text.startsWith(mark)) return text.slice(mark.length);
  if (!OLDER_FORMS[kind].test(text)) throw new UnreadableError(`the sealed value is no ${kind}`);
  return text;
}

/** Seals a value as the webhook's next version. */
export async function storeSecret(
  tx: Tx,
  { keyring, now }: Pick<Call, "keyring" | "now">,
  { ownerId, webhookId }: WebhookKey,
  { version, kind, value }: { readonly version: number; readonly kind: SecretKind; readonly value: string },
): Promise<void> {
  const plaintext = Buffer.from(markOf(kind) + value);
  try {
    const sealed = await seal(tx, keyring, plaintext, sealingContext(ownerId, webhookId, version));
    await insertSecret(tx, { ownerId, webhookId, version, kind, now, ...sealed });
  } finally {
    plaintext.fill(0);
  }
}

export function openSecret(keyring: Keyring, row: SecretRow): string {
  const { ownerId, webhookId, version, ciphertext, wrappedKey, keyId } = row;
  const plaintext = unseal(keyring, { ciphertext, wrappedKey, keyId }, sealingContext(ownerId, webhookId, version));
  const text = plaintext.toString();
  plaintext.fill(0);
  return readKind(row.kind as SecretKind, text);
}

/** `whsec_` and base64. https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/** An Ed25519 key pair: the private half in PKCS #8 as base64, the public one as `whpk_` and base64 of its 32 bytes. */
export function createKeyPair(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return {
    privateKey: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
    publicKey: `whpk_${Buffer.from(x, "base64url").toString("base64")}`,
  };
}

/** The sealed values of webhooks, for the rotation of master keys. */
export const sealedWebhookSecrets = sealedRows({
  kind: "webhook secret",
  name: "webhookSecretKeys",
  rows: { table: "webhook_secrets", belongsTo: "webhookId" },
  sealingContext,
});
