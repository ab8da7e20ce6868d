// Mixed load on servers that come and go, and the account of it: what was acknowledged, what was refused, and what nobody
// knows. `checkLedger` holds the account against what the servers say afterwards. The order of things is that of the event
// chains, in which every write's request id stands.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Receiver } from "../../webhooks/receiver.ts";
import { TURNED_AWAY, checkDeliveries, checkState, checkWrites, followChain, openBook, webhookOf } from "./team-log.ts";
import type { Book } from "./team-log.ts";
import { planTeam } from "./mixed-writes.ts";
import type { Fate, Write } from "./mixed-writes.ts";
import { createPatientClient } from "./retrying-client.ts";
import type { PatientClient, Reply } from "./retrying-client.ts";

const LANES = 8;
const PEOPLE = 3;
/** Then a lane begins another team. */
const WRITES_PER_TEAM = 60;
const LOOK_AGAIN_MS = 10;
/** Deliveries may take as long as they like, if only one arrives within this. */
const PATIENCE_MS = 90_000;

export interface LoadOptions {
  /** Where servers listen now; there may be none for a while. */
  urls(): readonly string[];
  /** Of an administrator. */
  readonly token: string;
  /** Where the teams' webhooks lead; the servers may send to it (`LOOPBACK`). */
  readonly receiver: Receiver;
  /** How many writes are under way at a time. */
  readonly lanes?: number;
}

export interface Ledger {
  readonly client: PatientClient;
  readonly receiver: Receiver;
  readonly books: readonly Book[];
  /** So far. */
  readonly acknowledged: number;
  /** How often a server said, with which code, that it did nothing. */
  readonly turnedAway: ReadonlyMap<string, number>;
  /** Resolves when so many writes were acknowledged in all. */
  untilAcknowledged(count: number): Promise<void>;
  /** Reads on in all chains; fails when one is broken, or something is missing that was acknowledged before. */
  follow(): Promise<void>;
  /** Ends the load; the requests under way are awaited. */
  stop(): Promise<void>;
}

export interface LedgerFigures {
  readonly acknowledged: number;
  readonly undecided: number;
  /** Of those that are undecided. */
  readonly applied: number;
  readonly refused: number;
  readonly teams: number;
  readonly events: number;
  readonly deliveries: {
    readonly once: number;
    readonly moreThanOnce: number;
    /** Of those that were not received: how many are in which state, for what reason. */
    readonly waiting: Readonly<Record<string, number>>;
  };
}

/** What an answer says of a write, or the want of one. */
function judge(reply: Reply | "lost"): Fate {
  if (reply === "lost") return { kind: "undecided" };
  const { status, body } = reply;
  if (status < 300) return { kind: "acknowledged", body };
  // Whatever becomes of the store, it is no failure of ours that nobody has thought of.
  assert.notEqual(status, 500, JSON.stringify(body));
  const code: string = body?.error?.code ?? `status ${status}`;
  return status < 500 || TURNED_AWAY.has(code) ? { kind: "refused", code } : { kind: "undecided" };
}

/** Begins at once; it ends with the file's tests at the latest. */
export async function startLoad({ urls, token, receiver, lanes = LANES }: LoadOptions): Promise<Ledger> {
  const client = createPatientClient(urls, token);
  const run = randomBytes(3).toString("hex");
  const stopping = new AbortController();
  const { signal } = stopping;
  const books: Book[] = [];
  const turnedAway = new Map<string, number>();
  const waiting = new Set<() => void>();
  let acknowledged = 0;

  /** Sends a write until its fate is known, or as far as it may be sent; undefined: it was not sent. */
  async function carryOut({ id, method, path, body, isRepeated }: Write): Promise<Fate | undefined> {
    const headers = { "x-request-id": id, ...(isRepeated && { "idempotency-key": id }) };
    for (let mayBeApplied = false; ;) {
      const reply = await client.send(method, path, { body, headers, signal });
      if (reply === "unsent") return mayBeApplied ? { kind: "undecided" } : undefined;
      const fate = judge(reply);
      const isTurnedAway = fate.kind === "refused" && TURNED_AWAY.has(fate.code);
      if (isTurnedAway) turnedAway.set(fate.code, (turnedAway.get(fate.code) ?? 0) + 1);
      if (!isTurnedAway && fate.kind !== "undecided") return fate;
      await setTimeout(LOOK_AGAIN_MS);
      if (!isRepeated) return fate;
      mayBeApplied ||= fate.kind === "undecided";
    }
  }

  async function work(lane: number, people: readonly string[]): Promise<void> {
    for (let team = 0; !signal.aborted; team++) {
      const slug = `load-${run}-${lane}-${team}`;
      const book = openBook(slug, (lane + team) % 2 === 0 ? "strict" : "parallel");
      const plan = planTeam({ slug, people, hookUrl: `${receiver.url}/${slug}`, ordering: book.ordering });
      books.push(book);
      for (let count = 0; count < WRITES_PER_TEAM; count++) {
        const write = plan.next();
        const entry = { write, fate: { kind: "undecided" } as Fate };
        book.entries.set(write.id, entry);
        const fate = await carryOut(write);
        if (!fate) {
          book.entries.delete(write.id);
          break;
        }
        entry.fate = fate;
        plan.note(fate);
        if (fate.kind !== "acknowledged") continue;
        acknowledged++;
        book.unread.add(write.id);
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
    books,
    get acknowledged() {
      return acknowledged;
    },
    turnedAway,
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
      await Promise.all(books.filter(({ unread }) => unread.size > 0).map((book) => followChain(client, book)));
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

/** Resolves when no delivery waits any more. */
export async function untilDelivered({ client, receiver, books }: Ledger): Promise<void> {
  let seen = -1;
  let giveUpAt = 0;
  for (const book of books) {
    await followChain(client, book);
    const webhookId = webhookOf(book);
    if (webhookId === undefined) continue;
    const path = `/v1/webhooks/${webhookId}/deliveries?slug=${book.slug}&state=pending&limit=1`;
    for (;;) {
      const [pending] = (await client.read(path)).body.deliveries;
      if (!pending) break;
      if (receiver.received.length > seen) giveUpAt = performance.now() + PATIENCE_MS;
      seen = receiver.received.length;
      assert.ok(performance.now() < giveUpAt, `${book.slug}: ${JSON.stringify(pending)} stays pending`);
      await setTimeout(LOOK_AGAIN_MS);
    }
  }
}

/**
 * Holds everything against what the servers say now; the load has been stopped. What is not delivered yet is counted, so
 * who expects all of it to be waits first (`untilDelivered`).
 */
export async function checkLedger(ledger: Ledger): Promise<LedgerFigures> {
  const { client, books, receiver } = ledger;
  const typesOfKind = new Map<string, string>();
  const outcomes = new Map<string, number>();
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  let applied = 0;
  let events = 0;
  for (const book of books) {
    await followChain(client, book);
    applied += checkWrites(book, typesOfKind);
    events += book.events.length;
    if (book.events.length === 0) continue;
    await checkDeliveries(client, book, receiver, count);
    await checkState(client, book);
  }
  const fates = books.flatMap(({ entries }) => [...entries.values()].map(({ fate }) => fate.kind));
  const { once = 0, moreThanOnce = 0, ...waiting } = Object.fromEntries(outcomes);
  return {
    acknowledged: ledger.acknowledged,
    undecided: fates.filter((kind) => kind === "undecided").length,
    applied,
    refused: fates.filter((kind) => kind === "refused").length,
    teams: books.length,
    events,
    deliveries: { once, moreThanOnce, waiting },
  };
}
