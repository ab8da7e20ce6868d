// Connections to PostgreSQL: a bounded number, to the first host that can be used. What breaks or falls silent is given up,
// so that the next one to ask finds the host that serves by then. Where a server has room for fewer, those that there are
// go on.
import type { Pool, PoolClient } from "pg";
import { StoreError } from "../database.ts";
import type { Connections } from "../database.ts";
import { storeFailureReason } from "../failure.ts";
import { PooledConnection, isTimeout, messageOf } from "./connection.ts";
import type { Connection, Lease } from "./connection.ts";
import { POOL_SIZE, openHost, silenceOf } from "./driver.ts";
import type { Host, Use } from "./driver.ts";
import type { PostgresTarget } from "./hosts.ts";
import { PIPELINES, PIPELINE_DEPTH, openPipelines } from "./pipelines.ts";
import { createSemaphore } from "../semaphore.ts";

/** Of those who wait for a connection. A line that is longer would be gone through later than anybody waits. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 3_000;
/** While no host can be used, so often one is looked for, however many ask. */
const RETRY_MS = 250;
/** So often a server that had no room for one more connection is asked again, while those that are open serve. */
const GROW_MS = 5_000;
/** For so long there counts as having been too little room: whoever needs no more does not ask. */
const SHORT_MS = 60_000;

export interface PoolOptions {
  /** Hears each time that somebody gets no connection for want of room on the server. */
  onShortage?(error: StoreError): void;
}

export interface ConnectionPool {
  /** Runs `work` with a connection of its own as soon as there is one; throws a StoreError when there is none in time. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs `work`, which reads with one statement, on a connection that others use at the same time; throws as `use` does. */
  share<T>(work: (connection: Pick<Connection, "query">) => Promise<T>): Promise<T>;
  /** Of those that are used by one at a time. */
  count(): Connections;
  /** Resolves when all connections are given back and closed. */
  close(): Promise<void>;
}

function refuseWaiting(places: number): StoreError {
  if (places === POOL_SIZE) {
    const message = "all connections to PostgreSQL are in use, and nobody gave one back in time";
    return new StoreError(message, { reason: "busy" });
  }
  const message = `PostgreSQL has room for ${places} of ${POOL_SIZE} connections, and none was given back in time`;
  return new StoreError(message, { reason: "too_few_connections" });
}

const createLine = (places: number, refuse: () => StoreError) =>
  createSemaphore({ places, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS, refuse });

const ROOM_ADVICE = "raise max_connections or the limit of the role or database, or start fewer servers";

/** What a pooler says of the limits that sessions begin with. */
const UNSUPPORTED = "unsupported startup parameter";
const POOLER_ADVICE = "let the pooler pass or ignore it (ignore_startup_parameters; see docs/postgresql.md)";

const isShortage = (error: unknown) => storeFailureReason(error) === "too_few_connections";

/**
 * What to tell when no host can be used: of several one that has no room or does not answer may be the one that takes writes,
 * and the others its standbys.
 */
function refuseHosts(failures: readonly unknown[]): StoreError {
  const cause = failures.find(isShortage) ?? failures.find(isTimeout) ?? failures.at(-1);
  const reason = isTimeout(cause) ? "silent" : (storeFailureReason(cause) ?? "unreachable");
  const message = messageOf(cause);
  const advice = isShortage(cause) ? ROOM_ADVICE : message.startsWith(UNSUPPORTED) ? POOLER_ADVICE : null;
  return new StoreError(`cannot reach PostgreSQL: ${[message, ...(advice ? [advice] : [])].join(": ")}`, {
    cause,
    reason,
  });
}

export function openConnections(
  { urls, mustBeWritable }: PostgresTarget,
  { onShortage }: PoolOptions = {},
): ConnectionPool {
  const line = createLine(POOL_SIZE, () => noteShortage(refuseWaiting(line.places)));
  const lineOfStatements = createLine(PIPELINES * PIPELINE_DEPTH, () => refuseWaiting(POOL_SIZE));
  const hosts = urls.map(open);
  /** The host that was used last. */
  let current = 0;
  /** Of one use alone: a server may have no room for one more connection, and serve those that it has. */
  const outages: Partial<Record<Use, { readonly error: StoreError; readonly endsAt: number }>> = {};
  let shortAt = -Infinity;
  let growsAt = 0;

  function open(url: string): Host {
    const host = openHost(url, mustBeWritable);
    // Where there was room for one there may be room for all.
    host.alone.on("connect", line.growToMost);
    return host;
  }

  function noteShortage(error: StoreError): StoreError {
    if (isShortage(error)) {
      shortAt = performance.now();
      onShortage?.(error);
    }
    return error;
  }

  function noteOutage(use: Use, error: StoreError, forMs: number): void {
    outages[use] = { error, endsAt: performance.now() + forMs };
  }

  /** What else is connected to a host that has fallen silent would be waited for in vain too, and has the same old plans. */
  function replaceHost(old: Host): void {
    const at = hosts.indexOf(old);
    if (at < 0) return;
    hosts[at] = open(urls[at] as string);
    // Whoever has just asked one of them gets what is idle there first.
    setImmediate(() => Object.values(old).forEach((pool) => void pool.end()));
  }

  function leaseOf(client: PoolClient, host: Host): Lease {
    const connection = new PooledConnection(client, () => replaceHost(host));
    return {
      connection,
      isCurrent: () => connection.isUsable && hosts[current] === host,
      // An idle one that breaks can't be used any more some milliseconds before it ends.
      onEnd: (hear) => void client.once("error", hear).once("end", hear),
      release(isLast = false) {
        client.release(isLast || !connection.isUsable);
        if (connection.isSilent) replaceHost(host);
      },
    };
  }

  /** A connection to a host that can be used, each host tried once, the one that was used last first. */
  async function lease(use: Use): Promise<Lease> {
    const outage = outages[use];
    if (outage && performance.now() < outage.endsAt) throw outage.error;
    const first = current;
    const failures: unknown[] = [];
    for (let step = 0; step < hosts.length; step++) {
      const at = (first + step) % hosts.length;
      const host = hosts[at] as Host;
      try {
        const client = await host[use].connect();
        current = at;
        delete outages[use];
        return leaseOf(client, host);
      } catch (error) {
        failures.push(error);
      }
    }
    const error = refuseHosts(failures);
    // Without room those that are open go on, and whoever finds that there is none notes the outage.
    if (!isShortage(error)) noteOutage(use, error, RETRY_MS);
    throw noteShortage(error);
  }

  async function leaseTogether(): Promise<Lease> {
    try {
      return await lease("together");
    } catch (error) {
      if (isShortage(error) && outages.together?.error !== error) noteOutage("together", error as StoreError, GROW_MS);
      throw error;
    }
  }

  /** With a place in the line, which whoever releases it leaves. */
  async function leaseAlone(): Promise<Lease> {
    const now = performance.now();
    if (line.places < POOL_SIZE && now >= growsAt) {
      growsAt = now + GROW_MS;
      line.growByOne();
    }
    await line.enter();
    for (;;) {
      try {
        return await lease("alone");
      } catch (error) {
        if (isShortage(error)) {
          if (await line.exchange((hosts[current] as Host).alone.idleCount)) continue;
          if (outages.alone?.error !== error) giveRoom(error as StoreError);
        }
        line.leave();
        throw error;
      }
    }
  }

  /** Changes have no connection at all: one that reads share makes room for them, and reads can do with theirs. */
  function giveRoom(error: StoreError): void {
    noteOutage("alone", error, RETRY_MS);
    if (pipelines.endOne()) noteOutage("together", error, GROW_MS);
  }

  async function useAlone<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const { connection, release } = await leaseAlone();
    try {
      return await work(connection);
    } finally {
      release();
      line.leave();
    }
  }

  const silenceMs = silenceOf(urls[0] as string);
  const pipelines = openPipelines({ open: leaseTogether, isShortage, useAlone, silenceMs });
  return {
    use: useAlone,
    share: (work) => lineOfStatements.run(() => pipelines.share(work)),
    count() {
      const sum = (count: (pool: Pool) => number) => hosts.reduce((all, { alone }) => all + count(alone), 0);
      return {
        total: sum(({ totalCount }) => totalCount),
        idle: sum(({ idleCount }) => idleCount),
        waiting: line.waiting,
        areTooFew: performance.now() - shortAt < SHORT_MS,
      };
    },
    async close() {
      pipelines.close();
      await Promise.all(hosts.flatMap((host) => Object.values(host)).map((pool) => pool.end()));
    },
  };
}
