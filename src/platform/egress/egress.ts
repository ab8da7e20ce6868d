// Sends requests to URLs that users chose (webhooks). platform/kernel/network/egress.ts has the rules for allowed destinations. They are
// enforced here for the URL of each request, and for the address of each connection. Redirects are not followed, proxies of the
// environment are not used, and only the beginning of a response is kept.
import { checkDestination, explainProblems } from "../kernel/network/egress.ts";
import type { EgressRules } from "../kernel/network/egress.ts";
import { openConnector } from "./egress-connector.ts";
import { EgressError, isAboutAddress } from "./egress-error.ts";
import { Exchange } from "./egress-exchange.ts";
import type { EgressOutcome } from "./egress-exchange.ts";
import type * as EgressPools from "./egress-pools.ts";
import type { Pools } from "./egress-pools.ts";
import { openNameLookup } from "./name-lookup.ts";

/** A POST by default. */
export interface EgressRequest {
  readonly method?: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Of the response; 16 KiB by default. */
  readonly maxBodyBytes?: number;
}

export interface Egress {
  /** Never rejects. */
  send(request: EgressRequest, signal?: AbortSignal): Promise<EgressOutcome>;
  /** Ends the requests in flight as `stopped`, and closes all connections. */
  close(): Promise<void>;
}

export interface EgressTimeouts {
  /** From `send` to the end of the response. */
  readonly totalTimeoutMs?: number;
  /** For resolving the name, connecting and TLS together. */
  readonly connectTimeoutMs?: number;
  /** Failures about addresses are reported after a multiple of this time; otherwise their timing would reveal the cause. */
  readonly addressFailureStepMs?: number;
}

export interface EgressOptions extends EgressTimeouts {
  readonly rules: EgressRules;
  /** Null: the system's resolver. */
  readonly dnsServers: readonly string[] | null;
}

type CheckedUrl = { readonly origin: string; readonly path: string } | { readonly problem: string };

const TOTAL_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const ADDRESS_FAILURE_STEP_MS = 1_000;
const MAX_CHECKED = 1_000;

/** Returns a function that checks URLs, each once. */
function createUrlCheck(rules: EgressRules): (url: string) => CheckedUrl {
  const checked = new Map<string, CheckedUrl>();
  return (text) => {
    let known = checked.get(text);
    if (!known) {
      const destination = checkDestination(text, rules);
      if ("problems" in destination) return { problem: explainProblems(destination.problems, { isOperator: true }) };
      const { origin, pathname, search } = destination.url;
      known = { origin, path: pathname + search };
      if (checked.size >= MAX_CHECKED) checked.clear();
      checked.set(text, known);
    }
    return known;
  };
}

/** The form that undici takes fastest. The host is that of the URL, which was checked. */
function flatHeaders(headers: EgressRequest["headers"]): string[] {
  const flat: string[] = [];
  for (const name of Object.keys(headers)) {
    if (name.length === 4 && name.toLowerCase() === "host") continue;
    flat.push(name, headers[name] as string);
  }
  return flat;
}

export function openEgress(options: EgressOptions): Egress {
  const { rules, dnsServers, totalTimeoutMs = TOTAL_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const { addressFailureStepMs: stepMs = ADDRESS_FAILURE_STEP_MS } = options;
  const checkUrl = createUrlCheck(rules);
  const connector = openConnector({
    rules,
    lookUp: openNameLookup(dnsServers, connectTimeoutMs),
    timeoutMs: connectTimeoutMs,
  });
  const inFlight = new Set<Exchange>();
  let pools: Pools | undefined;
  let loading: Promise<typeof EgressPools> | undefined;
  let isClosed = false;

  function begin(
    { url, method = "POST", headers, body }: EgressRequest,
    exchange: Exchange,
    poolsOfOrigins: Pools,
  ): void {
    const checked = checkUrl(url);
    if ("problem" in checked) {
      exchange.fail(new EgressError("refused", checked.problem));
      return;
    }
    const pool = poolsOfOrigins.get(checked.origin, exchange.startedAt);
    pool.dispatch(
      { path: checked.path, method, headers: flatHeaders(headers), body: method === "GET" ? null : body },
      exchange,
    );
  }

  async function beginFirst(request: EgressRequest, exchange: Exchange): Promise<void> {
    // Loaded on demand, because it takes 25 ms and 7 MB.
    const { openPools } = await (loading ??= import("./egress-pools.ts"));
    pools ??= openPools(connector);
    if (!isClosed) begin(request, exchange, pools);
  }

  return {
    send(request, signal) {
      return new Promise((resolve) => {
        const stop = () => exchange.fail(new EgressError("stopped", "stopped before a response arrived"));
        const bounds = { totalTimeoutMs, maxBodyBytes: request.maxBodyBytes };
        const exchange = new Exchange(bounds, (settled, outcome) => {
          inFlight.delete(settled);
          signal?.removeEventListener("abort", stop);
          if (!("error" in outcome) || !isAboutAddress(outcome.error.stage)) return resolve(outcome);
          const durationMs = Math.ceil((outcome.durationMs + 1) / stepMs) * stepMs;
          setTimeout(resolve, durationMs - outcome.durationMs, { ...outcome, durationMs });
        });
        inFlight.add(exchange);
        if (isClosed || signal?.aborted) {
          stop();
          return;
        }
        signal?.addEventListener("abort", stop, { once: true });
        if (pools) begin(request, exchange, pools);
        else beginFirst(request, exchange).catch((error: Error) => exchange.fail(error));
      });
    },
    async close() {
      isClosed = true;
      for (const exchange of inFlight) exchange.fail(new EgressError("stopped", "stopped before a response arrived"));
      connector.close();
      await pools?.destroy();
    },
  };
}
