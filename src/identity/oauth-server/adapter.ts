// Stores what the library asks for in Reeve's own store. Records that are not tokens are kept as the library writes them, by hashes;
// access tokens are Reeve's own, with their owner, limits and events.
import { Provider, errors } from "oidc-provider";
import type { Adapter, AdapterPayload } from "oidc-provider";
import { describeCredential, hashCredential } from "../../platform/kernel/credential.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { siteOf, subscriberOf } from "../../platform/kernel/network/network.ts";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { API_SCOPE } from "../programs/clients.ts";
import { findStored, findStoredByLookup } from "../programs/records.ts";
import type { RequestModel } from "../programs/approval.ts";
import type { StoredRecord } from "../programs/records.ts";
import { findTokenOfClient } from "../tokens/client-tokens.ts";
import type { OAuthChanges } from "../programs/internal-changes.ts";
import { exchangeOf } from "./exchange.ts";
import type { RecordPoll } from "./polling.ts";

export interface AdapterDependencies {
  readonly reader: Tx;
  readonly changes: OAuthChanges;
  readonly clock: Clock;
  readonly recordPoll: RecordPoll;
  /** `REEVE_MAX_TOKENS` */
  readonly maxTokens: number;
}

const DEVICE_CODE = "DeviceCode";
/** What strangers cause: the address is kept, and bounded. */
const REQUESTS: ReadonlySet<string> = new Set<RequestModel>(["DeviceCode", "Interaction"]);
/** Members of payloads that are stored as hashes, or as columns. */
const NOT_STORED: ReadonlySet<string> = new Set(["jti", "userCode", "exp", "iat"]);

function hashOf(value: string | undefined): string | null {
  return value === undefined ? null : hashCredential(value);
}

/** Seconds since the epoch by the system's clock, which the library reads. */
function toSystemTime(timeMs: number, clock: Clock): number {
  return Math.ceil((Date.now() + timeMs - clock()) / SECOND_MS);
}

const never = async () => undefined;

/** A refusal in the words of the protocol; a failure of the store is kept for the HTTP layer. */
function explain(error: unknown): unknown {
  if (error instanceof errors.OIDCProviderError) return error;
  if (error instanceof ApiError && error.status < 500) {
    const isFull = error.code === "too_many_requests";
    const refusal = new errors.CustomOIDCProviderError(isFull ? "slow_down" : "invalid_grant", error.message);
    if (isFull) refusal.status = refusal.statusCode = error.status;
    return refusal;
  }
  exchangeOf(Provider.ctx).failure = error as Error;
  return error;
}

/** The adapter, whose failures say what the protocol calls them. */
function explainFailures(adapter: Adapter): Adapter {
  const wrap =
    <A extends readonly unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await method(...args);
      } catch (error) {
        throw explain(error);
      }
    };
  return Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [name, wrap(method as (...args: unknown[]) => Promise<unknown>)]),
  ) as unknown as Adapter;
}

function createRecordAdapter(model: string, { reader, changes, clock, recordPoll }: AdapterDependencies): Adapter {
  /** The payload with the values that are not stored, for the one who has just shown one of them. */
  function restore(stored: StoredRecord | undefined, known: Partial<AdapterPayload>): AdapterPayload | undefined {
    if (!stored) return undefined;
    const { payload, isConsumed, expiresAt } = stored;
    const exp = toSystemTime(expiresAt, clock);
    return { ...payload, ...known, exp, ...(isConsumed && { consumed: true }) };
  }

  return {
    async upsert(id, given, expiresIn = 0) {
      const payload = Object.fromEntries(Object.entries(given).filter(([name]) => !NOT_STORED.has(name)));
      const { userCode, grantId, accountId } = given;
      const { ip } = exchangeOf(Provider.ctx).origin;
      const isRequest = REQUESTS.has(model);
      const record = {
        model,
        hash: hashCredential(id),
        lookupHash: hashOf(userCode),
        grantHash: hashOf(grantId),
        address: isRequest ? `${siteOf(ip)} ${subscriberOf(ip)}` : null,
        userId: accountId ?? null,
        payload: JSON.stringify({ ...payload, ...(isRequest && { source: { ip, requestedAt: clock() } }) }),
        expiresAt: clock() + expiresIn * SECOND_MS,
      };
      await changes.saveOAuthRecord(record, clock());
    },
    async find(id) {
      const hash = hashCredential(id);
      // Only the token endpoint looks up a device code by its value.
      if (model === DEVICE_CODE && !recordPoll(hash)) throw new errors.SlowDown();
      return restore(await findStored(reader, model, hash), { jti: id });
    },
    async findByUserCode(userCode) {
      return restore(await findStoredByLookup(reader, model, hashCredential(userCode)), { userCode });
    },
    // Of sessions, which are not stored.
    findByUid: never,
    async consume(id) {
      const isFirst = await changes.consumeOAuthRecord({ model, hash: hashCredential(id) }, clock());
      if (!isFirst) throw new errors.InvalidGrant("used by another request at the same time");
    },
    async destroy(id) {
      await changes.deleteOAuthRecord({ model, hash: hashCredential(id) }, clock());
    },
    async revokeByGrantId(grantId) {
      const { origin } = exchangeOf(Provider.ctx);
      await changes.revokeOAuthGrant({ grantHash: hashCredential(grantId), origin }, clock());
    },
  };
}

/** Sessions of the library are not stored: a person is signed in to Reeve, and approves each request. */
const NO_SESSIONS: Adapter = {
  upsert: never,
  find: never,
  findByUserCode: never,
  findByUid: never,
  consume: never,
  destroy: never,
  revokeByGrantId: never,
};

/** Access tokens of clients, as the library sees them. */
function createTokenAdapter({ reader, changes, clock, maxTokens }: AdapterDependencies): Adapter {
  return {
    async upsert(value, { grantId = "", clientId = "" }) {
      const exchange = exchangeOf(Provider.ctx);
      const order = { grantHash: hashCredential(grantId), clientId, credential: describeCredential(value) };
      const { origin } = exchange;
      exchange.tokenEndsAt = await changes.issueGrantedToken({ ...order, origin, maxTokens }, clock());
    },
    async find(value) {
      const token = await findTokenOfClient(reader, hashCredential(value), clock());
      if (!token) return undefined;
      const { userId: accountId, clientId, createdAt, expiresAt } = token;
      return {
        kind: "AccessToken",
        jti: value,
        accountId,
        clientId,
        scope: API_SCOPE,
        iat: toSystemTime(createdAt, clock),
        ...(expiresAt !== null && { exp: toSystemTime(expiresAt, clock) }),
      };
    },
    async destroy(value) {
      const { origin } = exchangeOf(Provider.ctx);
      await changes.revokeClientToken({ hash: hashCredential(value), origin }, clock());
    },
    // With the other records of the grant.
    revokeByGrantId: never,
    findByUserCode: never,
    findByUid: never,
    consume: never,
  };
}

/** Clients are configured, so the store has none. */
const NO_CLIENTS: Pick<Adapter, "find"> = { find: async () => undefined };

export function createAdapterFactory(dependencies: AdapterDependencies): (model: string) => Adapter {
  return (model) => {
    if (model === "Client") return NO_CLIENTS as Adapter;
    if (model === "Session") return NO_SESSIONS;
    return explainFailures(
      model === "AccessToken" ? createTokenAdapter(dependencies) : createRecordAdapter(model, dependencies),
    );
  };
}
