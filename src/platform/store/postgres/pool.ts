// Connections to PostgreSQL: a bounded number, with a bounded queue for them. A connection that breaks or falls silent is
// closed, so that the next lease finds the host that serves now. Where no further one can be opened, for want of room or because the
// login is refused, the open ones continue to serve.
import { StoreError } from "../database.ts";
import type { Connections } from "../database.ts";
import { Semaphore } from "../semaphore.ts";
import type { Connection, Lease } from "./connection.ts";
import { POOL_SIZE, silenceOf } from "./driver.ts";
import { isOpeningRefused, isShortage } from "./host-failures.ts";
import { HostPools, RETRY_MS } from "./host-pools.ts";
import type { PostgresTarget } from "./hosts.ts";
import { PIPELINES, PIPELINE_DEPTH, openPipelines } from "./pipelines.ts";

/** Bounds the queue for a connection: callers would not wait for a longer one. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 3_000;
/** After a server had no room for one more connection, it is tried again at this interval. */
const GROW_MS = 5_000;
/** A refusal is reported for this long, because a process that needs no more connections does not notice its end. */
const REFUSED_MS = 60_000;

export interface PoolOptions {
  /** Called each time that one more connection could not be opened. */
  onRefusal?(error: StoreError): void;
  /** See `HostPoolOptions`. */
  readTarget?(): PostgresTarget | null;
  requirePrepared?(url: string): Promise<void>;
}

type Work<T> = (connection: Connection) => Promise<T>;

export interface ConnectionPool {
  /** Runs `work` on a connection of its own as soon as there is one; throws a StoreError when there is none in time. */
  use<T>(work: Work<T>): Promise<T>;
  /** Runs `work`, which reads with one statement, on a shared connection; throws as `use` does. */
  share<T>(work: (connection: Pick<Connection, "query">) => Promise<T>): Promise<T>;
  /** Runs `work` on a connection of which there is one, as long as it is usable; throws as `use` does. */
  watch<T>(work: (connection: Pick<Connection, "query">) => Promise<T>): Promise<T>;
  /** Reads the hosts and the login again; resolves to whether they have changed. Rejects with what is wrong. */
  renew(): Promise<boolean>;
  /** Finds out which store this is, for `renew`. */
  identify(): Promise<void>;
  /** Counts the connections that are not shared. */
  count(): Connections;
  /** Resolves when all connections are released and closed. */
  close(): Promise<void>;
}

function refuseWaiting(permits: number, refusal?: StoreError): StoreError {
  if (permits === POOL_SIZE || !refusal) {
    const message = "all connections to PostgreSQL are in use, and none was released in time";
    return new StoreError(message, { reason: "busy" });
  }
  const message = `only ${permits} of ${POOL_SIZE} connections to PostgreSQL could be opened, and none was released in time`;
  return new StoreError(message, { reason: refusal.reason });
}

/** After how long one more connection is tried that could not be opened. */
const retryMsOf = (error: unknown) => (isShortage(error) ? GROW_MS : RETRY_MS);

const createQueue = (permits: number, refuse: () => StoreError) =>
  new Semaphore({ permits, maxWaiting: MAX_WAITING, maxWaitMs: MAX_WAIT_MS, refuse });

/** Remembers why one more connection could last not be opened. */
function createRefusalRecord(onRefusal: (error: StoreError) => void) {
  let lastAt = -Infinity;
  let last: StoreError | undefined;
  return {
    note(error: StoreError): void {
      if (!isOpeningRefused(error)) return;
      lastAt = performance.now();
      last = error;
      onRefusal(error);
    },
    /** After one was opened. Room for it may be room for no other. */
    end(): void {
      if (last && !isShortage(last)) last = undefined;
    },
    last: () => last,
    recent: () => (performance.now() - lastAt < REFUSED_MS ? last : undefined),
  };
}

/**
 * Runs work on connections of its own, one permit each. `onNoneOpen` is called with the error when none can be opened, and
 * this process has no such connection open that could serve instead.
 */
function createExclusiveUse(hosts: HostPools, permits: Semaphore, onNoneOpen: (error: StoreError) => void) {
  let [growsAt, growMs] = [0, GROW_MS];

  /** Leases a connection with a permit, which the caller releases. */
  async function lease(): Promise<Lease> {
    const now = performance.now();
    if (permits.permits < POOL_SIZE && now >= growsAt) {
      growsAt = now + growMs;
      permits.growByOne();
    }
    await permits.acquire();
    for (;;) {
      try {
        return await hosts.lease("exclusive");
      } catch (error) {
        if (isOpeningRefused(error)) {
          growMs = retryMsOf(error);
          if (await permits.exchange(hosts.idleCount())) continue;
          if (!hosts.isSuspendedBy("exclusive", error)) onNoneOpen(error as StoreError);
        }
        permits.release();
        throw error;
      }
    }
  }

  return async <T>(work: Work<T>): Promise<T> => {
    const { connection, release } = await lease();
    try {
      return await work(connection);
    } finally {
      release();
      permits.release();
    }
  };
}

export function openConnections(
  target: PostgresTarget,
  { onRefusal = () => undefined, readTarget = () => null, requirePrepared = async () => undefined }: PoolOptions = {},
): ConnectionPool {
  const refusals = createRefusalRecord(onRefusal);
  const permits = createQueue(POOL_SIZE, () => {
    const error = refuseWaiting(permits.permits, refusals.last());
    refusals.note(error);
    return error;
  });
  const statements = createQueue(PIPELINES * PIPELINE_DEPTH, () => refuseWaiting(POOL_SIZE));
  const hosts = new HostPools(target, {
    onConnect() {
      refusals.end();
      // Room for one more connection may mean room for all.
      permits.growToMost();
    },
    onFailure: refusals.note,
    readTarget,
    requirePrepared,
  });

  async function leaseShared(): Promise<Lease> {
    try {
      return await hosts.lease("shared");
    } catch (error) {
      if (isOpeningRefused(error) && !hosts.isSuspendedBy("shared", error)) {
        hosts.suspend("shared", error as StoreError, retryMsOf(error));
      }
      throw error;
    }
  }

  /** When changes have no connection at all for want of room, closes a shared one for them; reads share the others. */
  function makeRoom(error: StoreError): void {
    hosts.suspend("exclusive", error, RETRY_MS);
    if (!isShortage(error)) return;
    if (pipelines.endOne() || watching.endOne()) hosts.suspend("shared", error, GROW_MS);
  }

  const runExclusively = createExclusiveUse(hosts, permits, makeRoom);
  const silenceMs = silenceOf(target.urls[0] as string);
  const options = { open: leaseShared, isOpeningRefused, runExclusively, silenceMs };
  const pipelines = openPipelines({ ...options, count: PIPELINES });
  // Of its own, so that no slow read delays it.
  const watching = openPipelines({ ...options, count: 1 });
  return {
    use: runExclusively,
    share: (work) => statements.run(() => pipelines.share(work)),
    watch: watching.share,
    renew: () => hosts.renew(),
    identify: () => hosts.identify(),
    count: () => ({ ...hosts.count(), waiting: permits.waiting, refusal: refusals.recent()?.reason ?? null }),
    async close() {
      pipelines.close();
      watching.close();
      await hosts.close();
    },
  };
}
