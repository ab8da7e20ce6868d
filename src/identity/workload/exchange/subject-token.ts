// Verifies a signed token (JWT) of another issuer, step by step, so that a person can be told which step fails. Only asymmetric
// signatures count: with a public key as a shared secret anybody could sign.
import { hash } from "node:crypto";
import type { LocalJWKSet } from "jose";
import type { Claims } from "../claim-rules.ts";
import type { VerifiedToken } from "../issue.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { findTokenProblem } from "../../../platform/kernel/text/identifying-value.ts";
import { IssuerFailure, loadJose } from "./issuer-keys.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
/** How far the issuer's clock may be off, s. */
const TOLERANCE_S = 60;
/** A token is accepted for so long after it was issued, whatever end it has itself, s. */
const MAX_AGE_S = DAY_MS / SECOND_MS;

export interface TokenCheck {
  readonly check: "form" | "issuer" | "signature" | "time" | "uses";
  /** Null: it could not be looked at. */
  readonly passes: boolean | null;
  readonly text: string;
}

/** A token whose signature nobody has checked. */
export interface ReadToken {
  readonly text: string;
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
}

class TokenProblem extends Error {
  override readonly name = "TokenProblem";
}

function requireHeader({ alg, typ, crit }: Readonly<Record<string, unknown>>): void {
  if (typeof alg !== "string" || !ALGORITHMS.includes(alg)) {
    throw new TokenProblem(`its header has the alg ${JSON.stringify(alg)}: expected one of ${ALGORITHMS.join(", ")}`);
  }
  // Other types of tokens, such as those for logging out, are not for signing in.
  if (typ !== undefined && (typeof typ !== "string" || typ.toUpperCase() !== "JWT")) {
    throw new TokenProblem(`its header has the typ ${JSON.stringify(typ)}: expected JWT, or none`);
  }
  if (crit !== undefined) throw new TokenProblem("its header has crit, which names rules that are not known here");
}

/** Reads a token without believing it. Throws a TokenProblem. */
async function read(text: string): Promise<ReadToken> {
  const { decodeJwt, decodeProtectedHeader } = await loadJose();
  let claims: Claims;
  let header: Readonly<Record<string, unknown>>;
  try {
    header = decodeProtectedHeader(text);
    claims = decodeJwt(text);
  } catch {
    throw new TokenProblem("it is no signed token: expected three parts of base64url between dots (a JWT)");
  }
  requireHeader(header);
  const problem = findTokenProblem(claims);
  if (problem !== null) throw new TokenProblem(problem);
  const { iss, sub } = claims as { readonly iss: string; readonly sub: string };
  return { text, issuer: iss, subject: sub, claims };
}

export async function readToken(text: string): Promise<{ readonly token: ReadToken } | { readonly problem: string }> {
  try {
    return { token: await read(text) };
  } catch (error) {
    if (error instanceof TokenProblem) return { problem: error.message };
    throw error;
  }
}

const isoTime = (seconds: number) => {
  const date = new Date(seconds * SECOND_MS);
  return Number.isNaN(date.valueOf()) ? String(seconds) : date.toISOString();
};

function checkTime({ exp, nbf, iat }: Claims, now: number): TokenCheck {
  const at = now / SECOND_MS;
  const fail = (text: string): TokenCheck => ({ check: "time", passes: false, text });
  if (typeof exp !== "number" || typeof iat !== "number") return fail("it has no exp or no iat, in seconds since 1970");
  if (nbf !== undefined && typeof nbf !== "number") return fail("its nbf is no number of seconds");
  if (exp <= at - TOLERANCE_S) return fail(`it expired at ${isoTime(exp)}`);
  if (nbf !== undefined && nbf > at + TOLERANCE_S) return fail(`it is valid from ${isoTime(nbf)}`);
  if (iat > at + TOLERANCE_S) return fail(`it was issued in the future, at ${isoTime(iat)}`);
  if (iat < at - MAX_AGE_S - TOLERANCE_S)
    return fail(`it was issued at ${isoTime(iat)}: expected at most 24 hours ago`);
  return { check: "time", passes: true, text: `it is valid until ${isoTime(Math.min(exp, iat + MAX_AGE_S))}` };
}

async function verify(text: string, keys: LocalJWKSet): Promise<"valid" | "unknown key" | "several keys" | "invalid"> {
  const { compactVerify, errors } = await loadJose();
  try {
    await compactVerify(text, keys, { algorithms: ALGORITHMS });
    return "valid";
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return "unknown key";
    if (error instanceof errors.JWKSMultipleMatchingKeys) return "several keys";
    // Also keys of the issuer that cannot be used.
    return "invalid";
  }
}

async function checkSignature({ text, issuer }: ReadToken, issuerKeys: IssuerKeys): Promise<TokenCheck> {
  let found = await verify(text, await issuerKeys.find(issuer));
  if (found === "unknown key") found = await verify(text, await issuerKeys.renew(issuer));
  if (found === "valid") return { check: "signature", passes: true, text: `it is signed with a key of ${issuer}` };
  const problems = {
    invalid: "its signature is wrong",
    "several keys": `several keys of ${issuer} have its kid and alg, or it has no kid`,
    "unknown key": `${issuer} has no key with its kid and alg`,
  };
  return { check: "signature", passes: false, text: problems[found] };
}

/** What identifies a token: not its signature, which others can vary. */
function identify({ text, issuer, subject, claims: { jti } }: ReadToken): string {
  if (typeof jti === "string" && jti !== "") return hash("sha256", JSON.stringify([issuer, subject, jti]), "hex");
  return hash("sha256", text.slice(0, text.lastIndexOf(".")), "hex");
}

export interface Verification {
  readonly checks: readonly TokenCheck[];
  /** Null: a check does not pass. */
  readonly verified: VerifiedToken | null;
  /** The issuer's keys could not be had. */
  readonly failure: string | null;
}

/** Checks signature and time. The caller trusts the issuer, from which keys are fetched. */
export async function verifyToken(token: ReadToken, issuerKeys: IssuerKeys, now: number): Promise<Verification> {
  const time = checkTime(token.claims, now);
  let signature: TokenCheck;
  try {
    signature = await checkSignature(token, issuerKeys);
  } catch (error) {
    if (!(error instanceof IssuerFailure)) throw error;
    const { message } = error;
    return { checks: [{ check: "signature", passes: null, text: message }, time], verified: null, failure: message };
  }
  const checks = [signature, time];
  if (checks.some(({ passes }) => passes !== true)) return { checks, verified: null, failure: null };
  const { exp, iat } = token.claims as { readonly exp: number; readonly iat: number };
  const expiresAt = Math.ceil((Math.min(exp, iat + MAX_AGE_S) + 2 * TOLERANCE_S) * SECOND_MS);
  const { issuer, subject } = token;
  return { checks, verified: { issuer, subject, hash: identify(token), expiresAt }, failure: null };
}
