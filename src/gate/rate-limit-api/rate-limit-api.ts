// What `checkRateLimit` of @vercel/firewall asks: whether the request that an application serves is within the limit of the rule with an
// id. The application chooses what is counted, so it proves with a shared secret that it is the one who asks: anybody else could use
// up the limit of another client.
import { hash, timingSafeEqual } from "node:crypto";
import { parseAddress } from "../../platform/kernel/network/network.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { throttle } from "../../platform/kernel/telemetry/throttle.ts";
import type { Decider } from "../decider.ts";
import { DECISION_HEADER, decisionHeader, isLetThrough } from "../decision.ts";
import type { GateLog } from "../gate-log.ts";
import { headerOf } from "../message.ts";
import type { GateRequest, GateResponse } from "../message.ts";
import { refuse } from "../refusal.ts";
import { readJa4 } from "../requests/ja4.ts";
import { KEY_HEADER } from "./named-limits.ts";

export const RATE_LIMIT_PATH = "/.well-known/vercel/rate-limit-api";
/** Before the names of the headers that the application got. */
const ORIGINAL = "x-rr-";
const MAX_ID_LENGTH = 200;
const SETTING = "REEVE_GATE_RATE_LIMIT_SECRET";

export interface RateLimitApi {
  /** Answers a request at RATE_LIMIT_PATH. */
  answer(request: GateRequest): Promise<GateResponse>;
}

export interface RateLimitApiOptions {
  readonly decider: Pick<Decider, "checkRateLimit">;
  /** Null: no application may ask. */
  readonly secret: string | null;
  /** The header in which the application got the JA4 digest of its client. */
  readonly ja4Header: string | null;
  readonly log: GateLog;
}

function plain(status: number, text: string, more: Readonly<Record<string, string>> = {}): GateResponse {
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...more };
  return { status, headers, body: `${text}\n` };
}

/** Undefined: the path has no id that can be read. */
function idOf({ target }: GateRequest): string | undefined {
  const [path = ""] = target.split("?");
  const encoded = path.slice(RATE_LIMIT_PATH.length + 1);
  if (encoded === "" || encoded.length > 3 * MAX_ID_LENGTH || encoded.includes("/")) return undefined;
  try {
    const id = decodeURIComponent(encoded);
    return id.length <= MAX_ID_LENGTH ? id : undefined;
  } catch {
    return undefined;
  }
}

/** The client appends `-` and the digest of the key, the id and its secrets. */
function isProved(key: string, id: string, secret: string): boolean {
  const at = key.lastIndexOf("-");
  const given = Buffer.from(key.slice(at + 1));
  const expected = Buffer.from(hash("sha256", key.slice(0, Math.max(0, at)) + id + secret, "hex"));
  return at > 0 && given.length === expected.length && timingSafeEqual(given, expected);
}

/** The request that the application serves, as far as it tells: its headers and the address of its client. */
function originalOf(request: GateRequest, key: string, ja4Header: string | null): GateRequest {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && name.startsWith(ORIGINAL)) headers[name.slice(ORIGINAL.length)] = value;
  }
  const ip = headerOf(request, `${ORIGINAL}x-real-ip`) ?? "";
  return {
    ...request,
    headers: { ...headers, [KEY_HEADER]: key },
    ip: parseAddress(ip) ? ip : undefined,
    ja4: readJa4(ja4Header === null ? undefined : headerOf(request, ORIGINAL + ja4Header)),
  };
}

export function createRateLimitApi({ decider, secret, ja4Header, log }: RateLimitApiOptions): RateLimitApi {
  const warnOff = throttle<string>(MINUTE_MS, (host, count) =>
    log.warn({ host, count }, `an application asks for rate limits, and ${SETTING} is not set`),
  );
  const warnStranger = throttle<string>(MINUTE_MS, (host, count) =>
    log.warn(
      { host, count },
      `who asked for a rate limit does not know ${SETTING}: it has to be RATE_LIMIT_SECRET of the application`,
    ),
  );

  return {
    async answer(request) {
      if (request.method !== "GET") return plain(405, "Expected GET.", { allow: "GET" });
      if (secret === null) {
        warnOff(request.host);
        return plain(404, "Not found.");
      }
      const id = idOf(request);
      if (id === undefined) return plain(404, `Expected an id of at most ${MAX_ID_LENGTH} characters.`);
      const key = headerOf(request, KEY_HEADER) ?? "";
      if (!isProved(key, id, secret)) {
        warnStranger(request.host);
        return plain(403, `Expected ${KEY_HEADER} by RATE_LIMIT_SECRET, which has to be ${SETTING} of the gate.`);
      }
      const decision = await decider.checkRateLimit(originalOf(request, key, ja4Header), id);
      if (decision === null) return plain(404, "No active rule has this id in a condition of type rate_limit_api_id.");
      if (isLetThrough(decision)) {
        return { status: 204, headers: { [DECISION_HEADER]: decisionHeader(decision) }, body: null };
      }
      // The client knows two refusals: what is limited, and what is blocked.
      return refuse(request, {
        ...decision,
        status: decision.action === "rate_limit" ? 429 : 403,
        location: null,
      });
    },
  };
}
