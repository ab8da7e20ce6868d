// Idempotency keys: the result of a POST is stored with the change, for 24 h, and returned for the same key and body. The record is
// encrypted and hashed with keys derived from the caller's credential, which is not stored. So a result that shows a secret once does
// not leave it readable in the database, and a body cannot be guessed from its hash.
import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from "node:crypto";
import { DAY_MS } from "../kernel/scheduling/clock.ts";
import { fieldError } from "../kernel/errors.ts";
import type { ApiError } from "../kernel/errors.ts";
import type { Tx } from "../kernel/tx.ts";
import { prepare } from "../store/prepared.ts";

const LIFETIME_MS = DAY_MS;
const KEY_PATTERN = /^[\x21-\x7e]{1,255}$/;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const PRUNE_BATCH = 500;

/** What the HTTP layer derives from the header; plain data. */
export interface IdempotencyRequest {
  readonly keyHash: string;
  readonly requestHash: string;
  readonly sealingKey: Uint8Array;
}

/** Reads an `Idempotency-Key`. `fingerprint` is the part of the request that must be equal when the key is used again. */
export function readIdempotencyKey(header: string, credential: string, fingerprint: string): IdempotencyRequest {
  if (!KEY_PATTERN.test(header)) {
    throw fieldError("bad_request", "Idempotency-Key", "expected 1 to 255 visible ASCII characters");
  }
  const derive = (purpose: string, text: string) => createHmac("sha256", credential).update(`reeve ${purpose} ${text}`);
  return {
    keyHash: hash("sha256", header, "hex"),
    requestHash: derive("request", fingerprint).digest("hex"),
    sealingKey: derive("idempotency", header).digest(),
  };
}

const findRecord = prepare<{ credentialId: string; keyHash: string; now: number }>("idempotency.find").one(
  ({ db, p }) =>
    db
      .selectFrom("idempotency_records")
      .select(["requestHash", "answer"])
      .where("credentialId", "=", p("credentialId"))
      .where("keyHash", "=", p("keyHash"))
      .where("expiresAt", ">", p("now")),
);

const upsertRecord = prepare<{
  credentialId: string;
  keyHash: string;
  requestHash: string;
  answer: Uint8Array;
  expiresAt: number;
}>("idempotency.upsert").write(({ db, excluded, params }) =>
  db
    .insertInto("idempotency_records")
    .values(params("credentialId", "keyHash", "requestHash", "answer", "expiresAt"))
    // Only an expired record can conflict: a valid one would have been returned.
    .onConflict((conflict) =>
      conflict.columns(["credentialId", "keyHash"]).doUpdateSet(excluded("requestHash", "answer", "expiresAt")),
    ),
);

const deleteExpired = prepare<{ now: number; limit: number }>("idempotency.prune").run(({ db, p }) =>
  db
    .deleteFrom("idempotency_records")
    .where(({ eb, refTuple }) =>
      eb(
        refTuple("credentialId", "keyHash"),
        "in",
        db
          .selectFrom("idempotency_records")
          .select(["credentialId", "keyHash"])
          .where("expiresAt", "<=", p("now"))
          .orderBy("expiresAt")
          .limit(p("limit"))
          .$asTuple("credentialId", "keyHash"),
      ),
    ),
);

function seal(key: Uint8Array, text: string): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

/** The sealed text. Throws when it was sealed with another value of the credential. */
function unseal(key: Uint8Array, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
}

function reused(why: string): ApiError {
  return fieldError("idempotency_key_reused", "Idempotency-Key", why);
}

/** The stored result of this key, if there is one. */
export async function findStoredResult(
  tx: Tx,
  credentialId: string,
  request: IdempotencyRequest,
  now: number,
): Promise<{ readonly result: unknown } | undefined> {
  const record = await findRecord(tx, { credentialId, keyHash: request.keyHash, now });
  if (!record) return undefined;
  let json: string;
  try {
    json = unseal(request.sealingKey, record.answer);
  } catch {
    throw reused("this key was used before the credential got its present value; the request was carried out then");
  }
  if (record.requestHash !== request.requestHash)
    throw reused("this key was used for another request: send a new key, or the first request unchanged");
  return { result: JSON.parse(json) };
}

export async function storeResult(
  tx: Tx,
  credentialId: string,
  request: IdempotencyRequest,
  now: number,
  result: unknown,
): Promise<void> {
  await upsertRecord(tx, {
    credentialId,
    keyHash: request.keyHash,
    requestHash: request.requestHash,
    answer: seal(request.sealingKey, JSON.stringify(result)),
    expiresAt: now + LIFETIME_MS,
  });
}

/** Deletes a batch of expired records and returns their number. */
export async function pruneIdempotencyRecords(tx: Tx, _input: null, now: number): Promise<number> {
  return await deleteExpired(tx, { now, limit: PRUNE_BATCH });
}
