// Reads once a day what verified bots publish, through the egress that protects internal addresses. What was read last stays in use
// while a bot's host does not answer.
import type { BotSource } from "../../platform/kernel/bots.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { readKeys, readNetworks } from "./bot-documents.ts";

const LOOK_MS = 10 * MINUTE_MS;
const MAX_BYTES = 1_024 * 1_024;
const DIRECTORY_PATH = "/.well-known/http-message-signatures-directory";
const DIRECTORY_TYPE = "application/http-message-signatures-directory+json";

/** Where what was read is kept. */
export interface BotStore {
  list(): Promise<readonly (BotSource & { readonly checkedAt: number })[]>;
  save(source: BotSource, facts: readonly string[], now: number): Promise<unknown>;
  /** Forgets those of other URLs. */
  keep(urls: readonly string[], now: number): Promise<unknown>;
}

export interface BotRefresherOptions {
  readonly sources: readonly BotSource[];
  readonly store: BotStore;
  readonly egress: Pick<Egress, "send">;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly logger: { warn(details: object, message: string): void; info(details: object, message: string): void };
}

export interface BotRefresher {
  /** Reads what is due. Never rejects. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
}

/** Throws when the host does not answer as expected. */
async function readFacts({ kind, url }: BotSource, options: BotRefresherOptions, signal: AbortSignal) {
  const accept = kind === "agent" ? DIRECTORY_TYPE : "application/json";
  const request = {
    url: kind === "agent" ? url + DIRECTORY_PATH : url,
    method: "GET" as const,
    headers: { accept, "user-agent": options.userAgent },
    body: "",
    maxBodyBytes: MAX_BYTES,
  };
  const outcome = await options.egress.send(request, signal);
  if ("error" in outcome) throw new Error(outcome.error.message);
  const { status, headers, body, isTruncated } = outcome.response;
  if (status !== 200) throw new Error(`expected status 200, got ${status}`);
  if (isTruncated) throw new Error(`expected a whole document of at most ${MAX_BYTES} bytes`);
  if (kind === "ranges") return readNetworks(body);
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== DIRECTORY_TYPE) throw new Error(`expected the type ${DIRECTORY_TYPE}, got ${String(type)}`);
  return readKeys(body, options.clock());
}

/** Begins at once, and looks every ten minutes for what is due. */
export function startBotRefresher(options: BotRefresherOptions): BotRefresher {
  const { sources, store, clock, logger } = options;
  const stopped = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function refreshOne(source: BotSource): Promise<void> {
    try {
      const facts = await readFacts(source, options, stopped.signal);
      if (stopped.signal.aborted) return;
      await store.save(source, facts, clock());
      logger.info({ bot: source.name, entries: facts.length }, "read what a verified bot publishes");
    } catch (error) {
      if (stopped.signal.aborted) return;
      const details = { bot: source.name, url: source.url, reason: (error as Error).message };
      logger.warn(details, "what a verified bot publishes cannot be read: the last is used (REEVE_BOT_SOURCES)");
    }
  }

  async function refreshDue(): Promise<void> {
    const known = await store.list();
    const urls = sources.map(({ url }) => url);
    const forgotten = known.filter(({ url }) => !urls.includes(url)).map(({ name }) => name);
    if (forgotten.length > 0) {
      await store.keep(urls, clock());
      logger.info({ bots: forgotten }, "forgot verified bots that REEVE_BOT_SOURCES does not name");
    }
    const isCurrent = ({ url, name, kind }: BotSource) =>
      known.some(
        (one) => one.url === url && one.name === name && one.kind === kind && one.checkedAt > clock() - DAY_MS,
      );
    for (const source of sources) {
      if (stopped.signal.aborted) return;
      if (!isCurrent(source)) await refreshOne(source);
    }
  }

  function refresh(): Promise<void> {
    running = running.then(refreshDue).catch((error: unknown) => {
      logger.warn({ reason: (error as Error).message }, "verified bots could not be refreshed and will be again");
    });
    return running;
  }

  void refresh();
  const timer = setInterval(() => void refresh(), LOOK_MS).unref();
  return {
    refresh,
    async stop() {
      stopped.abort();
      clearInterval(timer);
      await running;
    },
  };
}
