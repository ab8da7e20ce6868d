// The open connections of outgoing requests, in a pool for each origin. Their number is bounded in every direction, since everyone
// who may create a webhook names origins.
import { Pool } from "undici";
import type { Connector } from "./egress-connector.ts";

const MAX_CONNECTIONS_PER_ORIGIN = 128;
const MAX_ORIGINS = 1_024;
const MAX_CONNECTIONS = 1_024;
/** A pool in use is replaced after this time, so that a name is resolved again. */
const POOL_AGE_MS = 60_000;
const IDLE_MS = 4_000;
/** Even if a receiver offers to keep a connection open for longer. */
const MAX_IDLE_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1_024;

interface OriginPool {
  readonly pool: Pool;
  readonly openedAt: number;
}

export interface Pools {
  /** The pool to send with at `now`, milliseconds of `performance.now()`. */
  get(origin: string, now: number): Pool;
  /** Drops all connections. */
  destroy(): Promise<void>;
}

function createPool(origin: string, connector: Connector): Pool {
  return new Pool(origin, {
    connect: connector.connect,
    connections: MAX_CONNECTIONS_PER_ORIGIN,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: MAX_IDLE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The exchange has its own time-out.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

export function openPools(connector: Connector, maxConnections = MAX_CONNECTIONS): Pools {
  /** By origin, the least recently used first. */
  const pools = new Map<string, OriginPool>();
  const retiring = new Set<Pool>();

  /** Sends nothing new with a pool; its requests in flight are finished. */
  function retire(origin: string, pool: Pool): void {
    if (pools.get(origin)?.pool === pool) pools.delete(origin);
    if (pool.closed) return;
    retiring.add(pool);
    pool.close(() => retiring.delete(pool));
  }

  /** Retires the idle pool that was used least recently, if there is one: requests in flight are bounded by their sender. */
  function retireIdlest(): void {
    for (const [origin, { pool }] of pools) if (pool.stats.size === 0) return retire(origin, pool);
  }

  function openPool(origin: string): Pool {
    if (pools.size >= MAX_ORIGINS) retireIdlest();
    const pool = createPool(origin, connector);
    const retireWhenUnused = () => {
      const { connected, size } = pool.stats;
      if (connected === 0 && size === 0) retire(origin, pool);
    };
    return pool
      .on("disconnect", retireWhenUnused)
      .on("connectionError", retireWhenUnused)
      .on("connect", () => {
        if (connector.open > maxConnections) retireIdlest();
      });
  }

  return {
    get(origin, now) {
      const known = pools.get(origin);
      if (known && now - known.openedAt < POOL_AGE_MS) {
        pools.delete(origin);
        pools.set(origin, known);
        return known.pool;
      }
      if (known) retire(origin, known.pool);
      const pool = openPool(origin);
      pools.set(origin, { pool, openedAt: now });
      return pool;
    },
    async destroy() {
      const all = [...retiring, ...Array.from(pools.values(), ({ pool }) => pool)];
      pools.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}
