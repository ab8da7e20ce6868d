// The keys of the issuers of tokens: found by their discovery documents, kept for some minutes, and fetched again once in a while when
// a token names a key that is not among them. Requests for the same issuer share one fetch.
import type { JSONWebKeySet, LocalJWKSet } from "jose";
import { findIssuerProblem } from "../issuer-url.ts";
import { createKeyedLimiter } from "../../../platform/kernel/scheduling/keyed-limiter.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../../platform/kernel/scheduling/clock.ts";
import type { EgressRules } from "../../../platform/kernel/network/egress.ts";

/** The keys of an issuer could not be had. The message is for the team that trusts it. */
export class IssuerFailure extends Error {
  override readonly name = "IssuerFailure";
}

/** Fetches a document as text. Throws an IssuerFailure. */
export type FetchDocument = (url: string, maxBytes: number) => Promise<string>;

export interface IssuerKeys {
  /** The present keys. */
  find(issuer: string): Promise<LocalJWKSet>;
  /** Looks for newer keys, unless that was done just now. */
  renew(issuer: string): Promise<LocalJWKSet>;
}

const FRESH_MS = 10 * MINUTE_MS;
/** Keys are used for so long when no newer ones can be had. */
const USABLE_MS = HOUR_MS;
/** Between two fetches that unknown keys cause. */
export const COOL_DOWN_MS = 30 * SECOND_MS;
const FAILURE_MS = 10 * SECOND_MS;
const MAX_ISSUERS = 500;
/** Tokens of an issuer, and of all, that wait for keys at the same time. */
const WAITING = { each: 50, all: 500 } as const;
const MAX_DISCOVERY_BYTES = 64 * 1_024;
const MAX_JWKS_BYTES = 256 * 1_024;
const MAX_KEYS = 100;

interface Known {
  keys: LocalJWKSet | null;
  fetchedAt: number;
  triedAt: number;
  failure: IssuerFailure | null;
  pending: Promise<void> | null;
}

/** The library is loaded for the first token. */
export async function loadJose() {
  return await import("jose");
}

function parse(text: string, what: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // The next line says it.
  }
  throw new IssuerFailure(`${what} is no JSON object`);
}

export function createIssuerKeys({
  fetchDocument,
  rules,
  clock,
}: {
  readonly fetchDocument: FetchDocument;
  readonly rules: EgressRules;
  readonly clock: Clock;
}): IssuerKeys {
  /** By issuer, the least recently used first. */
  const issuers = new Map<string, Known>();
  const waiting = createKeyedLimiter(WAITING, () => new IssuerFailure("too many tokens wait for keys at the moment"));

  async function fetchKeys(issuer: string): Promise<LocalJWKSet> {
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = parse(await fetchDocument(url, MAX_DISCOVERY_BYTES), url);
    if (document["issuer"] !== issuer) {
      throw new IssuerFailure(
        `${url} is of the issuer ${JSON.stringify(document["issuer"])}, not of ${JSON.stringify(issuer)}: they must be equal, to the letter; change the issuer of the trust rule if both are yours`,
      );
    }
    const { jwks_uri: jwksUri } = document;
    if (typeof jwksUri !== "string") throw new IssuerFailure(`${url} names no jwks_uri`);
    const problem = findIssuerProblem(jwksUri, rules);
    if (problem !== null) throw new IssuerFailure(`jwks_uri of ${url}: ${problem}`);
    const set = parse(await fetchDocument(jwksUri, MAX_JWKS_BYTES), jwksUri);
    const { keys } = set;
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) {
      throw new IssuerFailure(`${jwksUri}: expected at most ${MAX_KEYS} keys`);
    }
    const { createLocalJWKSet } = await loadJose();
    try {
      return createLocalJWKSet(set as unknown as JSONWebKeySet);
    } catch {
      throw new IssuerFailure(`${jwksUri} holds no key set`);
    }
  }

  function knownOf(issuer: string): Known {
    const found = issuers.get(issuer);
    if (found) {
      issuers.delete(issuer);
      issuers.set(issuer, found);
      return found;
    }
    const [oldest] = issuers.keys();
    if (oldest !== undefined && issuers.size >= MAX_ISSUERS) issuers.delete(oldest);
    const made: Known = { keys: null, fetchedAt: 0, triedAt: -Infinity, failure: null, pending: null };
    issuers.set(issuer, made);
    return made;
  }

  async function refresh(issuer: string, known: Known): Promise<void> {
    known.triedAt = clock();
    try {
      known.keys = await fetchKeys(issuer);
      known.fetchedAt = clock();
      known.failure = null;
    } catch (error) {
      if (!(error instanceof IssuerFailure)) throw error;
      known.failure = error;
    } finally {
      known.pending = null;
    }
  }

  /** A time ahead of the clock is over as well: the clock was set back. */
  function isWithin(since: number, spanMs: number): boolean {
    const age = clock() - since;
    return age >= 0 && age < spanMs;
  }

  function usableKeys({ keys, fetchedAt }: Known): LocalJWKSet | null {
    return isWithin(fetchedAt, USABLE_MS) ? keys : null;
  }

  /** Waits for a fetch, or does not where too many do: issuers that do not answer must not stop the tokens of others. */
  async function settle(issuer: string, known: Known): Promise<void> {
    let release: () => void;
    try {
      release = waiting.take(issuer);
    } catch (error) {
      if (usableKeys(known)) return;
      throw error;
    }
    try {
      await known.pending;
    } finally {
      release();
    }
  }

  async function fetchAfter(issuer: string, pauseMs: number): Promise<LocalJWKSet> {
    const known = knownOf(issuer);
    if (!known.pending && !isWithin(known.triedAt, pauseMs)) {
      known.pending = refresh(issuer, known);
      // Each caller that waits for it learns of its failure.
      known.pending.catch(() => undefined);
    }
    if (known.pending) await settle(issuer, known);
    const keys = usableKeys(known);
    if (keys) return keys;
    throw known.failure ?? new IssuerFailure("there are no keys");
  }

  return {
    async find(issuer) {
      const known = knownOf(issuer);
      if (known.keys && isWithin(known.fetchedAt, FRESH_MS)) return known.keys;
      return await fetchAfter(issuer, FAILURE_MS);
    },
    renew: (issuer) => fetchAfter(issuer, COOL_DOWN_MS),
  };
}
