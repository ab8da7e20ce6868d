// The cookie of a browser that has solved a challenge. It is bound to a host, a project and the day of its key; not to an address, which
// changes under people who are on the way.
import { HOUR_MS } from "../../kernel/scheduling/clock.ts";
import type { GateRequest } from "../message.ts";
import { isSigned, sign } from "./keys.ts";
import type { ChallengeScope } from "./keys.ts";
import { CLOCK_SKEW_MS } from "./token.ts";

const PASS_MS = HOUR_MS;
const MAX_LENGTH = 64;
/** A browser can have several cookies of one name, of different paths and domains. */
const MAX_COOKIES = 4;
const FORM = /^(1\.([0-9a-z]{1,9}))\.([\w-]{43})$/;

/** Other hosts of the domain cannot set a `__Host-` cookie; browsers accept one with https only. */
function cookieName({ scheme }: GateRequest): string {
  return scheme === "https" ? "__Host-reeve-pass" : "reeve-pass";
}

/** `Set-Cookie` with a new pass; undefined: there is no key to sign with. */
export function issuePass(request: GateRequest, scope: ChallengeScope, now: number): string | undefined {
  const payload = `1.${(now + PASS_MS).toString(36)}`;
  const signature = sign({ kind: "pass", request, scope, issuedAt: now, payload });
  if (signature === undefined) return undefined;
  const secure = request.scheme === "https" ? "; Secure" : "";
  return `${cookieName(request)}=${payload}.${signature}; Path=/; Max-Age=${PASS_MS / 1_000}; HttpOnly; SameSite=Lax${secure}`;
}

function isPass(request: GateRequest, scope: ChallengeScope, { text, now }: { text: string; now: number }): boolean {
  if (text.length > MAX_LENGTH) return false;
  const [, payload, end, signature] = FORM.exec(text) ?? [];
  if (payload === undefined || end === undefined || signature === undefined) return false;
  const expiresAt = Number.parseInt(end, 36);
  if (now >= expiresAt || expiresAt > now + PASS_MS + CLOCK_SKEW_MS) return false;
  return isSigned({ kind: "pass", request, scope, issuedAt: expiresAt - PASS_MS, payload }, signature);
}

/** The values of the cookies with a name. Without decoding: no pass needs any. */
function findCookies(header: string, name: string): readonly string[] {
  const found: string[] = [];
  for (let at = header.indexOf(name); at >= 0 && found.length < MAX_COOKIES; at = header.indexOf(name, at + 1)) {
    const from = at + name.length;
    const isWhole = at === 0 || header[at - 1] === " " || header[at - 1] === ";";
    if (!isWhole || header[from] !== "=") continue;
    const end = header.indexOf(";", from);
    found.push(header.slice(from + 1, end < 0 ? undefined : end).trimEnd());
  }
  return found;
}

export function hasPass(request: GateRequest, scope: ChallengeScope, now: number): boolean {
  const { cookie } = request.headers;
  if (cookie === undefined) return false;
  // HTTP/2 may split the header.
  const header = typeof cookie === "string" ? cookie : cookie.join("; ");
  return findCookies(header, cookieName(request)).some((text) => isPass(request, scope, { text, now }));
}
