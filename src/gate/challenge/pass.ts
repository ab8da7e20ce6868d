// The cookie of a browser that has solved a challenge. It is bound to a scheme, host, project and the day of its key; not to an address,
// which changes under people who are on the way. It says in which attack its challenge was issued, and counts in no other.
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest } from "../message.ts";
import { attackAt, isSigned, sign } from "./keys.ts";
import type { ChallengeScope } from "./keys.ts";
import { CLOCK_SKEW_MS } from "./token.ts";
import type { ChallengeToken } from "./token.ts";

const PASS_MS = HOUR_MS;
/**
 * Cookies of one name whose signatures are compared: as many as a browser keeps of one site. Other hosts of the site can set all but one
 * of them, and have them sent first.
 */
const MAX_COMPARED = 180;
const FORM = /^(2\.([0-9a-z]{1,9})\.([0-9a-z]{1,9}))\.([\w-]{43})$/;
const MAX_LENGTH = 72;

/** Other hosts of the domain cannot set a `__Host-` cookie; browsers accept one with https only. */
function cookieName({ scheme }: GateRequest): string {
  return scheme === "https" ? "__Host-reeve-pass" : "reeve-pass";
}

/** `Set-Cookie` with a new pass for a challenge; undefined: there is no key to sign with. */
export function issuePass(
  request: GateRequest,
  scope: ChallengeScope,
  { attack }: ChallengeToken,
  now: number,
): string | undefined {
  const payload = `2.${(now + PASS_MS).toString(36)}.${attack.toString(36)}`;
  const signature = sign({ kind: "pass", request, scope, issuedAt: now, payload });
  if (signature === undefined) return undefined;
  const secure = request.scheme === "https" ? "; Secure" : "";
  return `${cookieName(request)}=${payload}.${signature}; Path=/; Max-Age=${PASS_MS / 1_000}; HttpOnly; SameSite=Lax${secure}`;
}

interface Unverified {
  readonly payload: string;
  readonly issuedAt: number;
  readonly signature: string;
}

/** What the text says, if it could be a pass that counts now; the signature is not compared yet. */
function readPass(text: string, scope: ChallengeScope, now: number): Unverified | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, payload, end, began, signature] = FORM.exec(text) ?? [];
  if (payload === undefined || end === undefined || began === undefined || signature === undefined) return undefined;
  const expiresAt = Number.parseInt(end, 36);
  if (now >= expiresAt || expiresAt > now + PASS_MS + CLOCK_SKEW_MS) return undefined;
  const attack = attackAt(scope, now);
  if (attack !== 0 && attack !== Number.parseInt(began, 36)) return undefined;
  return { payload, issuedAt: expiresAt - PASS_MS, signature };
}

/** The values of the cookies with a name. Without decoding: no pass needs any. */
function* findCookies(header: string, name: string): Iterable<string> {
  for (let at = header.indexOf(name); at >= 0; at = header.indexOf(name, at + 1)) {
    const from = at + name.length;
    const isWhole = at === 0 || header[at - 1] === " " || header[at - 1] === ";";
    if (!isWhole || header[from] !== "=") continue;
    const end = header.indexOf(";", from);
    yield header.slice(from + 1, end < 0 ? undefined : end).trimEnd();
  }
}

export function hasPass(request: GateRequest, scope: ChallengeScope, now: number): boolean {
  const { cookie } = request.headers;
  if (cookie === undefined) return false;
  // HTTP/2 may split the header.
  const header = typeof cookie === "string" ? cookie : cookie.join("; ");
  const compared = new Set<string>();
  for (const text of findCookies(header, cookieName(request))) {
    const read = readPass(text, scope, now);
    if (read === undefined || compared.has(text)) continue;
    if (isSigned({ kind: "pass", request, scope, ...read }, read.signature)) return true;
    if (compared.add(text).size === MAX_COMPARED) return false;
  }
  return false;
}
