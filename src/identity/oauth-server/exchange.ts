// One request to the authorization server, and what becomes of it. The library keeps its own context for each request; this is what
// Reeve knows beside it.
import type { IncomingMessage } from "node:http";
import type { Origin } from "../../platform/kernel/caller.ts";

/** A request as the HTTP layer hands it over. */
export interface OAuthRequest {
  /** The issuer: base of absolute URLs, without a slash at the end. */
  readonly issuer: string;
  readonly origin: Origin;
}

export interface OAuthResponse {
  readonly status: number;
  /** Headers that the library set are on the response already. */
  readonly body: unknown;
}

export interface Exchange extends OAuthRequest {
  response?: OAuthResponse;
  /** A failure of the store, which is no answer of the protocol. */
  failure?: Error;
  /** End of the token that was issued, ms; null: never. */
  tokenEndsAt?: number | null;
}

const exchanges = new WeakMap<IncomingMessage, Exchange>();

export function beginExchange(request: IncomingMessage, { issuer, origin }: OAuthRequest): Exchange {
  const exchange: Exchange = { issuer, origin };
  exchanges.set(request, exchange);
  return exchange;
}

/** The exchange of the request that the library is working on. */
export function exchangeOf(context: { readonly req: IncomingMessage } | undefined): Exchange {
  const exchange = context && exchanges.get(context.req);
  if (!exchange) throw new Error("the authorization server was asked outside of a request");
  return exchange;
}
