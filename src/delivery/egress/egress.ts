// Requests to addresses that others have named: webhooks. What may be reached is said in kernel/network/egress.ts, and held here
// for each request (its URL) and each connection (its address). Redirects are not followed, proxies of the environment
// not used, and little of an answer is kept.
import { checkDestination, explainProblems } from "../../kernel/network/egress.ts";
import type { EgressRules } from "../../kernel/network/egress.ts";
import { openConnector } from "./egress-connector.ts";
import { EgressError, isAboutAddress } from "./egress-error.ts";
import { Exchange } from "./egress-exchange.ts";
import type { EgressOutcome } from "./egress-exchange.ts";
import type * as EgressPools from "./egress-pools.ts";
import type { Pools } from "./egress-pools.ts";
import { openNameLookup } from "./name-lookup.ts";

/** Sent with POST. */
export interface EgressRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface Egress {
  /** Never rejects. */
  send(request: EgressRequest, signal?: AbortSignal): Promise<EgressOutcome>;
  /** Ends what is under way as `stopped`, and closes all connections. */
  close(): Promise<void>;
}

export interface EgressTimeouts {
  /** From `send` to the end of the answer. */
  readonly totalTimeoutMs?: number;
  /** Of name, connection and TLS. */
  readonly connectTimeoutMs?: number;
  /** A failure that is about addresses is told at a multiple of this: else its time would tell what it was. */
  readonly addressFailureStepMs?: number;
}

export interface EgressOptions extends EgressTimeouts {
  readonly rules: EgressRules;
  /** Null: the system's resolver. */
  readonly dnsServers: readonly string[] | null;
}

type Target = { readonly origin: string; readonly path: string } | { readonly problem: string };

const TOTAL_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const ADDRESS_FAILURE_STEP_MS = 1_000;
const MAX_TARGETS = 1_000;

/** Checks URLs, each once. */
function openTargets(rules: EgressRules): (url: string) => Target {
  const targets = new Map<string, Target>();
  return (text) => {
    let target = targets.get(text);
    if (!target) {
      const destination = checkDestination(text, rules);
      if ("problems" in destination) return { problem: explainProblems(destination.problems, { isOperator: true }) };
      const { origin, pathname, search } = destination.url;
      target = { origin, path: pathname + search };
      if (targets.size >= MAX_TARGETS) targets.clear();
      targets.set(text, target);
    }
    return target;
  };
}

/** As undici takes them fastest. The host is that of the URL, which is what was checked. */
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
  const targetOf = openTargets(rules);
  const connector = openConnector({
    rules,
    lookUp: openNameLookup(dnsServers, connectTimeoutMs),
    timeoutMs: connectTimeoutMs,
  });
  const underWay = new Set<Exchange>();
  let pools: Pools | undefined;
  let loading: Promise<typeof EgressPools> | undefined;
  let isClosed = false;

  function begin({ url, headers, body }: EgressRequest, exchange: Exchange, poolsOfOrigins: Pools): void {
    const target = targetOf(url);
    if ("problem" in target) {
      exchange.fail(new EgressError("refused", target.problem));
      return;
    }
    const pool = poolsOfOrigins.get(target.origin, exchange.startedAt);
    pool.dispatch({ path: target.path, method: "POST", headers: flatHeaders(headers), body }, exchange);
  }

  async function beginFirst(request: EgressRequest, exchange: Exchange): Promise<void> {
    // 25 ms and 7 MB, for those who send.
    const { openPools } = await (loading ??= import("./egress-pools.ts"));
    pools ??= openPools(connector);
    if (!isClosed) begin(request, exchange, pools);
  }

  return {
    send(request, signal) {
      return new Promise((resolve) => {
        const stop = () => exchange.fail(new EgressError("stopped", "stopped before an answer came"));
        const exchange = new Exchange(totalTimeoutMs, (settled, outcome) => {
          underWay.delete(settled);
          signal?.removeEventListener("abort", stop);
          if (!("error" in outcome) || !isAboutAddress(outcome.error.stage)) return resolve(outcome);
          const durationMs = Math.ceil((outcome.durationMs + 1) / stepMs) * stepMs;
          setTimeout(resolve, durationMs - outcome.durationMs, { ...outcome, durationMs });
        });
        underWay.add(exchange);
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
      for (const exchange of underWay) exchange.fail(new EgressError("stopped", "stopped before an answer came"));
      connector.close();
      await pools?.destroy();
    },
  };
}
