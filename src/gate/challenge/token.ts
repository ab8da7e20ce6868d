// Challenges as signed tokens. A gate remembers none of those that it hands out: whatever it has to know comes back with the solution.
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest } from "../message.ts";
import { isDifficulty } from "./difficulty.ts";
import { attackAt, isSigned, sign } from "./keys.ts";
import type { ChallengeScope } from "./keys.ts";

/** How long a person may take. */
export const TOKEN_MS = 5 * MINUTE_MS;
/** How far the clocks of two gates may differ. */
export const CLOCK_SKEW_MS = MINUTE_MS;

const MAX_LENGTH = 128;
const NONCE_BYTES = 16;
const FORM = /^(2\.([0-9a-z]{1,9})\.([\w-]{22})\.([0-9a-z]{1,6})\.([0-9a-z]{1,9}))\.([\w-]{43})$/;

export interface ChallengeToken {
  readonly text: string;
  readonly issuedAt: number;
  /** 128 random bits, by which a token is told from all others. */
  readonly nonce: string;
  /** Hashes that one puzzle takes on average. */
  readonly difficulty: number;
  /** The attack in which it was issued, by `attackAt`; 0: in none. */
  readonly attack: number;
}

interface NewToken {
  readonly now: number;
  readonly difficulty: number;
  readonly random: (length: number) => Buffer;
}

/** Undefined: there is no key to sign with. */
export function issueToken(
  request: GateRequest,
  scope: ChallengeScope,
  { now, difficulty, random }: NewToken,
): ChallengeToken | undefined {
  const nonce = random(NONCE_BYTES).toString("base64url");
  const attack = attackAt(scope, now);
  const payload = `2.${now.toString(36)}.${nonce}.${difficulty.toString(36)}.${attack.toString(36)}`;
  const signature = sign({ kind: "challenge", request, scope, issuedAt: now, payload });
  if (signature === undefined) return undefined;
  return { text: `${payload}.${signature}`, issuedAt: now, nonce, difficulty, attack };
}

/** A token of this gate or one with the same keys, for this host and project. */
export function readToken(
  request: GateRequest,
  scope: ChallengeScope,
  { text, now }: { readonly text: string; readonly now: number },
): ChallengeToken | "malformed" | "forged" | "expired" {
  if (text.length > MAX_LENGTH) return "malformed";
  const [, payload, issued, nonce, hard, began, signature] = FORM.exec(text) ?? [];
  if (payload === undefined || issued === undefined || nonce === undefined) return "malformed";
  if (hard === undefined || began === undefined || signature === undefined) return "malformed";
  const [issuedAt, difficulty] = [Number.parseInt(issued, 36), Number.parseInt(hard, 36)];
  const attack = Number.parseInt(began, 36);
  if (!isSigned({ kind: "challenge", request, scope, issuedAt, payload }, signature)) return "forged";
  if (now >= issuedAt + TOKEN_MS || now < issuedAt - CLOCK_SKEW_MS) return "expired";
  // Its pass would not count.
  if (![0, attack].includes(attackAt(scope, now))) return "expired";
  return isDifficulty(difficulty) ? { text, issuedAt, nonce, difficulty, attack } : "malformed";
}
