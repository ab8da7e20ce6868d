// Runs mixed load on servers that stop and start, and records for each write whether it was acknowledged, refused, or has an
// unknown outcome. `checkLoad` compares the records with the servers' data afterwards. The event chains, which contain the
// request id of every write, define the order.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Receiver } from "../../webhooks/receiver.ts";
import {
  NOT_EXECUTED,
  checkDeliveries,
  checkState,
  checkWrites,
  followChain,
  openTeamLog,
  webhookOf,
} from "./team-log.ts";
import type { TeamLog } from "./team-log.ts";
import { planTeam } from "./mixed-writes.ts";
import type { Outcome, Write } from "./mixed-writes.ts";
import { createRetryingClient } from "./retrying-client.ts";
import type { RetryingClient, Reply } from "./retrying-client.ts";

const LANES = 8;
const PEOPLE = 3;
/** After these a lane starts another team. */
const WRITES_PER_TEAM = 60;
const LOOK_AGAIN_MS = 10;
/** Deliveries may take any time, as long as one arrives within this. */
const DELIVERY_TIMEOUT_MS = 90_000;

/** Fewer than the streams that an account may have at a time: one that is refused would wait behind all others. */
const FOLLOWED_AT_ONCE = 5;

export interface LoadOptions {
  /** The URLs of the present servers; there may be none for a while. */
  urls(): readonly string[];
  /** The token of an administrator. */
  readonly token: string;
  /** The receiver of the teams' webhooks; the servers may send to it (`LOOPBACK`). */
  readonly receiver: Receiver;
  /** The maximum of writes in flight. */
  readonly lanes?: number;
}

export interface MixedLoad {
  readonly client: RetryingClient;
  readonly receiver: Receiver;
  readonly teamLogs: readonly TeamLog[];
  /** So far. */
  readonly acknowledged: number;
  /** How often a server refused without executing anything, by code. */
  readonly notExecuted: ReadonlyMap<string, number>;
  /** Resolves when this many writes were acknowledged in total. */
  untilAcknowledged(count: number): Promise<void>;
  /** Reads the new events of all chains; fails when a chain is broken, or lacks a write that was acknowledged before. */
  follow(): Promise<void>;
  /** Ends the load, and waits for the requests in flight. */
  stop(): Promise<void>;
}

export interface LoadFigures {
  readonly acknowledged: number;
  readonly undecided: number;
  /** How many of the undecided writes were applied. */
  readonly applied: number;
  readonly refused: number;
  readonly teams: number;
  readonly events: number;
  readonly deliveries: {
    readonly once: number;
    readonly moreThanOnce: number;
    /** Deliveries that were not received: how many by state and reason. */
    readonly waiting: Readonly<Record<string, number>>;
  };
}

/** The outcome of a write, from its response or the lack of one. */
function classify(reply: Reply | "lost"): Outcome {
  if (reply === "lost") return { kind: "undecided" };
  const { status, body } = reply;
  if (status < 300) return { kind: "acknowledged", body };
  // Whatever happens to the store, no response may be an unexpected internal error.
  assert.notEqual(status, 500, JSON.stringify(body));
  const code: string = body?.error?.code ?? `status ${status}`;
  return status < 500 || NOT_EXECUTED.has(code) ? { kind: "refused", code } : { kind: "undecided" };
}

/** Starts the load at once; it ends with the file's tests at the latest. */
export async function startLoad({ urls, token, receiver, lanes = LANES }: LoadOptions): Promise<MixedLoad> {
  const client = createRetryingClient(urls, token);
  const run = randomBytes(3).toString("hex");
  const stopping = new AbortController();
  const { signal } = stopping;
  const teamLogs: TeamLog[] = [];
  const notExecuted = new Map<string, number>();
  const waiting = new Set<() => void>();
  let acknowledged = 0;

  /** Sends a write until its outcome is known, or as often as it may be sent; undefined: it was not sent. */
  async function execute({ id, method, path, body, isRepeated }: Write): Promise<Outcome | undefined> {
    const headers = { "x-request-id": id, ...(isRepeated && { "idempotency-key": id }) };
    for (let mayBeApplied = false; ;) {
      const reply = await client.send(method, path, { body, headers, signal });
      if (reply === "unsent") return mayBeApplied ? { kind: "undecided" } : undefined;
      const outcome = classify(reply);
      const isNotExecuted = outcome.kind === "refused" && NOT_EXECUTED.has(outcome.code);
      if (isNotExecuted) notExecuted.set(outcome.code, (notExecuted.get(outcome.code) ?? 0) + 1);
      if (!isNotExecuted && outcome.kind !== "undecided") return outcome;
      await setTimeout(LOOK_AGAIN_MS);
      if (!isRepeated) return outcome;
      mayBeApplied ||= outcome.kind === "undecided";
    }
  }

  async function work(lane: number, people: readonly string[]): Promise<void> {
    for (let team = 0; !signal.aborted; team++) {
      const slug = `load-${run}-${lane}-${team}`;
      const teamLog = openTeamLog(slug, (lane + team) % 2 === 0 ? "strict" : "parallel");
      const plan = planTeam({ slug, people, hookUrl: `${receiver.url}/${slug}`, ordering: teamLog.ordering });
      teamLogs.push(teamLog);
      for (let count = 0; count < WRITES_PER_TEAM; count++) {
        const write = plan.next();
        const entry = { write, outcome: { kind: "undecided" } as Outcome };
        teamLog.entries.set(write.id, entry);
        const outcome = await execute(write);
        if (!outcome) {
          teamLog.entries.delete(write.id);
          break;
        }
        entry.outcome = outcome;
        plan.note(outcome);
        if (outcome.kind !== "acknowledged") continue;
        acknowledged++;
        teamLog.unread.add(write.id);
        for (const look of waiting) look();
      }
    }
  }

  async function createPerson(at: number): Promise<string> {
    const username = `load-${run}-${at}`;
    const body = { username, email: `${username}@example.com` };
    for (;;) {
      const reply = await client.send("POST", "/v1/users", { body, headers: { "idempotency-key": username } });
      if (typeof reply === "object" && reply.status === 200) return reply.body.user.id;
      assert.ok(typeof reply !== "object" || reply.status >= 500, JSON.stringify(reply));
      await setTimeout(LOOK_AGAIN_MS);
    }
  }

  const people = await Promise.all(Array.from({ length: PEOPLE }, (_, at) => createPerson(at)));
  const working = Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane, people)));
  after(async () => {
    stopping.abort();
    await working.catch(() => undefined);
    await client.close();
  });

  return {
    client,
    receiver,
    teamLogs,
    get acknowledged() {
      return acknowledged;
    },
    notExecuted,
    async untilAcknowledged(count) {
      const enough = new Promise<void>((resolve) => {
        function look() {
          if (acknowledged < count) return;
          waiting.delete(look);
          resolve();
        }
        waiting.add(look);
        look();
      });
      await Promise.race([enough, working]);
    },
    async follow() {
      const left = teamLogs.filter(({ unread }) => unread.size > 0);
      const followNext = async (): Promise<void> => {
        for (let teamLog = left.shift(); teamLog; teamLog = left.shift()) await followChain(client, teamLog);
      };
      await Promise.all(Array.from({ length: FOLLOWED_AT_ONCE }, followNext));
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

/** Resolves when no delivery is pending. */
export async function untilDelivered({ client, receiver, teamLogs }: MixedLoad): Promise<void> {
  let seen = -1;
  let giveUpAt = 0;
  for (const teamLog of teamLogs) {
    await followChain(client, teamLog);
    const webhookId = webhookOf(teamLog);
    if (webhookId === undefined) continue;
    const path = `/v1/webhooks/${webhookId}/deliveries?slug=${teamLog.slug}&state=pending&limit=1`;
    for (;;) {
      const [pending] = (await client.read(path)).body.deliveries;
      if (!pending) break;
      if (receiver.received.length > seen) giveUpAt = performance.now() + DELIVERY_TIMEOUT_MS;
      seen = receiver.received.length;
      assert.ok(performance.now() < giveUpAt, `${teamLog.slug}: ${JSON.stringify(pending)} stays pending`);
      await setTimeout(LOOK_AGAIN_MS);
    }
  }
}

/**
 * Compares all records with the servers' data, after the load was stopped. It only counts pending deliveries: callers that
 * expect all of them call `untilDelivered` first.
 */
export async function checkLoad(load: MixedLoad): Promise<LoadFigures> {
  const { client, teamLogs, receiver } = load;
  const typesOfKind = new Map<string, string>();
  const deliveries = new Map<string, number>();
  const count = (outcome: string) => deliveries.set(outcome, (deliveries.get(outcome) ?? 0) + 1);
  let applied = 0;
  let events = 0;
  for (const teamLog of teamLogs) {
    await followChain(client, teamLog);
    applied += checkWrites(teamLog, typesOfKind);
    events += teamLog.events.length;
    if (teamLog.events.length === 0) continue;
    await checkDeliveries(client, teamLog, receiver, count);
    await checkState(client, teamLog);
  }
  const outcomes = teamLogs.flatMap(({ entries }) => [...entries.values()].map(({ outcome }) => outcome.kind));
  const { once = 0, moreThanOnce = 0, ...waiting } = Object.fromEntries(deliveries);
  return {
    acknowledged: load.acknowledged,
    undecided: outcomes.filter((kind) => kind === "undecided").length,
    applied,
    refused: outcomes.filter((kind) => kind === "refused").length,
    teams: teamLogs.length,
    events,
    deliveries: { once, moreThanOnce, waiting },
  };
}
