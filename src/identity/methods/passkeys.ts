// Passkeys in the store: adding one that an authenticator has made, and signing in with one. The signatures are verified before, outside
// of the transaction; the challenge is used inside it, so that one signature signs in once.
import type { Origin } from "../../platform/kernel/caller.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { recordProof, openSession } from "../sessions/open.ts";
import { actAs } from "./account.ts";
import { rememberDevice } from "./devices.ts";
import { addCode, peekCode, takeCode } from "./codes/one-time-codes.ts";
import {
  findAnyOfHost,
  findByCredential,
  findPasskey,
  insertPasskey,
  listCredentialIds,
  recordPasskeyUse,
} from "./passkey-store.ts";
import type { PasskeyRow } from "./passkey-store.ts";

const CHALLENGE_MS = 5 * MINUTE_MS;
export const MAX_PASSKEYS = 25;

/** A credential that an authenticator has made, and whose attestation was verified. */
export interface NewPasskey {
  readonly kind: "passkey";
  /** The challenge that it answers. */
  readonly challenge: string;
  /** base64url */
  readonly credentialId: string;
  readonly rpId: string;
  /** COSE */
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly name: string;
}

/** Internal change: a challenge for a new passkey of an account, or of nobody yet, or for a proof. */
export async function createChallenge(
  tx: Tx,
  { purpose, userId }: { readonly purpose: "passkey-new" | "passkey-proof"; readonly userId: string | null },
  now: number,
): Promise<string> {
  return await addCode(tx, { purpose, userId, data: null, expiresAt: now + CHALLENGE_MS });
}

function oldChallenge(): ApiError {
  return new ApiError("sign_in_failed", "The passkey took too long, or was used already: try again");
}

/** Refuses a challenge that is not open. */
export async function requireChallenge(
  reader: Tx,
  purpose: "passkey-new" | "passkey-proof",
  challenge: string,
  now: number,
): Promise<void> {
  if (!(await peekCode(reader, [purpose], challenge, now))) throw oldChallenge();
}

/** The credentials that an account has, so that an authenticator makes no second one. */
export async function findCredentialIds(reader: Tx, userId: string): Promise<string[]> {
  return (await listCredentialIds(reader, { userId, limit: MAX_PASSKEYS })).map(({ credentialId }) => credentialId);
}

export async function addPasskey(tx: Tx, act: EventContext, userId: string, passkey: NewPasskey): Promise<string> {
  const { challenge, credentialId, rpId, publicKey, counter, transports, name } = passkey;
  const taken = await takeCode(tx, ["passkey-new"], challenge, act.now);
  if (!taken || (taken.userId !== null && taken.userId !== userId)) throw oldChallenge();
  if ((await findCredentialIds(tx, userId)).length >= MAX_PASSKEYS) {
    throw new ApiError("too_many_passkeys", `An account has at most ${MAX_PASSKEYS} passkeys: remove one first`);
  }
  const id = newId("passkey");
  await insertPasskey(tx, {
    id,
    userId,
    credentialId,
    rpId,
    publicKey,
    counter,
    transports: JSON.stringify(transports),
    name,
    now: act.now,
    position: positionAt(act.now),
  });
  await emit(tx, act, {
    type: "passkey-created",
    ownerId: userId,
    entityId: id,
    text: `added the passkey ${name}`,
    payload: { uid: userId, passkeyId: id, name },
  });
  return id;
}

export function viewPasskey({ id, name, rpId: host, createdAt, usedAt }: PasskeyRow) {
  return { id, name, host, createdAt, usedAt };
}

/** The passkey of an account by its credential id, as the API shows it. */
export async function findOwnPasskey(reader: Tx, userId: string, credentialId: string) {
  const found = await findByCredential(reader, { credentialId });
  const row = found && (await findPasskey(reader, { userId, id: found.id }));
  return row && viewPasskey(row);
}

/** The passkey of an authenticator's credential id. */
export async function findPasskeyByCredential(reader: Tx, credentialId: string) {
  return await findByCredential(reader, { credentialId });
}

/**
 * The host to ask passkeys of: the present one; or, when there are none of it, a parent domain that some were made for, which browsers
 * allow. So an instance that moved from example.com to reeve.example.com keeps its passkeys.
 */
export async function findPasskeyHost(reader: Tx, hostname: string): Promise<string> {
  for (let rpId = hostname; rpId.includes("."); rpId = rpId.slice(rpId.indexOf(".") + 1))
    if (await findAnyOfHost(reader, { rpId })) return rpId;
  return hostname;
}

export interface PasskeySignIn {
  readonly passkeyId: string;
  readonly userId: string;
  readonly challenge: string;
  /** How often the authenticator says it was used. */
  readonly counter: number;
  readonly origin: Origin;
  /** What it is for: a new session, or a fresh proof in one. */
  readonly open: { readonly sessionHash: string; readonly deviceHash: string } | { readonly sessionId: string };
}

/** Internal change. The signature was verified. */
export async function signInWithPasskey(tx: Tx, input: PasskeySignIn, now: number): Promise<void> {
  const { passkeyId, userId, challenge, counter, origin, open } = input;
  if (!(await takeCode(tx, ["passkey-proof"], challenge, now))) throw oldChallenge();
  const act = await actAs(tx, userId, origin, now);
  if ((await recordPasskeyUse(tx, { id: passkeyId, counter, now })) === 0) throw oldChallenge();
  if ("sessionId" in open) {
    await recordProof(tx, act, { userId, sessionId: open.sessionId, method: "passkey" });
    return;
  }
  await openSession(tx, act, { userId, hash: open.sessionHash, method: "passkey" });
  await rememberDevice(tx, userId, open.deviceHash, now);
}
