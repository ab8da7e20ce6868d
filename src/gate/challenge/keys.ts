// Signatures of challenges and passes: by the key of a day, for one scheme and host of one project.
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { Bundle, ChallengeKey } from "../../firewall/evaluator/bundle.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest } from "../message.ts";

/** What challenges and passes belong to, beside the host. */
export interface ChallengeScope {
  readonly ownerId: string;
  readonly projectId: string;
  /** In the order of their days. */
  readonly keys: readonly ChallengeKey[];
  readonly attackMode: Bundle["attackMode"];
}

/** When the attack began that lasts at a time: it tells attacks apart, by no clock but the control plane's. 0: there is none. */
export function attackAt({ attackMode: { isEnabled, activeUntil, since } }: ChallengeScope, now: number): number {
  return isEnabled && (activeUntil === null || activeUntil > now) ? (since ?? 0) : 0;
}

/** Prepared once per key: gates keep the objects of a bundle until the next one. */
const prepared = new WeakMap<ChallengeKey, KeyObject>();

function prepareKey(key: ChallengeKey): KeyObject {
  const known = prepared.get(key);
  if (known !== undefined) return known;
  const secret = createSecretKey(key.key, "base64url");
  prepared.set(key, secret);
  return secret;
}

/**
 * The key that signs at a time: the one of that day. A list that does not reach the day (the control plane has been away for more than
 * a week) still has its last key; one that begins after it (the clock is behind) its first.
 */
function findKey({ keys }: ChallengeScope, at: number): ChallengeKey | undefined {
  const day = Math.floor(at / DAY_MS);
  return keys.findLast((key) => key.day <= day) ?? keys[0];
}

/** The host in lower case, without the default port of the scheme. */
export function canonicalHost({ host, scheme }: GateRequest): string {
  const port = scheme === "https" ? ":443" : ":80";
  const lower = host.toLowerCase();
  return lower.endsWith(port) ? lower.slice(0, -port.length) : lower;
}

/** What a signature covers. */
export interface Signed {
  readonly kind: "challenge" | "pass";
  readonly request: GateRequest;
  readonly scope: ChallengeScope;
  /** Decides the key, so a signature of one day's key is worthless for the times of another day. */
  readonly issuedAt: number;
  readonly payload: string;
}

/** 43 characters of base64url; undefined: there is no key. */
export function sign({ kind, request, scope, issuedAt, payload }: Signed): string | undefined {
  const key = findKey(scope, issuedAt);
  if (key === undefined) return undefined;
  return createHmac("sha256", prepareKey(key))
    .update(`${kind}\n${request.scheme}\n${canonicalHost(request)}\n${scope.ownerId}\n${scope.projectId}\n${payload}`)
    .digest("base64url");
}

/** Compares in constant time. */
export function isSigned(signed: Signed, signature: string): boolean {
  const expected = sign(signed);
  if (expected === undefined || expected.length !== signature.length) return false;
  const [one, other] = [Buffer.from(expected, "latin1"), Buffer.from(signature, "latin1")];
  return timingSafeEqual(one, other);
}
