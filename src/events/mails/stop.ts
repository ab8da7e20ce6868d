// Stopping mail from a team, by a link in each mail and without an account. A link names the team and, as a keyed hash, the
// address. Stopped addresses are left out when mail is sent, so that no response to a caller reveals them.
import { createHmac, timingSafeEqual } from "node:crypto";
import { isId, randomBase62 } from "../../platform/kernel/ids.ts";
import { emailKey } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { deleteStop, findLinkKey, findStop, insertLinkKey, insertStop } from "./store.ts";

/** The parts of a link. */
interface Link {
  readonly teamId: string;
  readonly recipient: string;
}

/** The state of a link, as its page shows it. */
export interface StopState {
  readonly slug: string;
  readonly isStopped: boolean;
}

/** 128 bits as base64url. */
const HASH_LENGTH = 22;
const SECRET_LENGTH = 43;

function hashUnder(secret: string, purpose: string, text: string): string {
  return createHmac("sha256", secret).update(`${purpose}\0${text}`).digest("base64url").slice(0, HASH_LENGTH);
}

function sign(secret: string, { teamId, recipient }: Link): string {
  return hashUnder(secret, "link", `${recipient}${teamId}`);
}

async function requireLinkKey(tx: Tx): Promise<string> {
  const found = await findLinkKey(tx, {});
  if (found) return found.secret;
  await insertLinkKey(tx, { secret: randomBase62(SECRET_LENGTH) });
  return ((await findLinkKey(tx, {})) as { secret: string }).secret;
}

/** The token of a link in a team's mail to an address; null when the address has stopped the team's mail. */
export async function createStopToken(tx: Tx, teamId: string, address: string): Promise<string | null> {
  const secret = await requireLinkKey(tx);
  const link = { teamId, recipient: hashUnder(secret, "recipient", emailKey(address)) };
  const state = await findStop(tx, link);
  return state?.stoppedAt ? null : `${sign(secret, link)}${link.recipient}${teamId}`;
}

async function readToken(tx: Tx, token: string): Promise<Link | undefined> {
  const secret = (await findLinkKey(tx, {}))?.secret;
  const [given, recipient] = [token.slice(0, HASH_LENGTH), token.slice(HASH_LENGTH, 2 * HASH_LENGTH)];
  const teamId = token.slice(2 * HASH_LENGTH);
  if (secret === undefined || !isId("team", teamId)) return undefined;
  const expected = Buffer.from(sign(secret, { teamId, recipient }));
  const seen = Buffer.from(given);
  return expected.length === seen.length && timingSafeEqual(expected, seen) ? { teamId, recipient } : undefined;
}

/** The state of a link; undefined for a forged token, and for a deleted team. */
export async function findStopState(tx: Tx, token: string): Promise<StopState | undefined> {
  const link = await readToken(tx, token);
  const found = link && (await findStop(tx, link));
  return found && { slug: found.slug, isStopped: found.stoppedAt !== null };
}

/** Stops or resumes a team's mail to the address of a link. */
export async function changeStop(
  tx: Tx,
  { token, isStopped }: { readonly token: string; readonly isStopped: boolean },
  now: number,
): Promise<StopState | undefined> {
  const link = await readToken(tx, token);
  if (!link || !(await findStop(tx, link))) return undefined;
  if (isStopped) await insertStop(tx, { ...link, now });
  else await deleteStop(tx, link);
  return await findStopState(tx, token);
}
