// The connections of outgoing requests, kept open for the next request: a pool for each origin. Bounded in every
// direction, since anybody who may make a webhook names origins.
import { Pool } from "undici";
import type { Connector } from "./egress-connector.ts";

const MAX_CONNECTIONS_PER_ORIGIN = 128;
const MAX_ORIGINS = 256;
const MAX_CONNECTIONS = 1_024;
/** A pool in use is replaced after this time, so that a name that leads elsewhere now is followed. */
const POOL_AGE_MS = 60_000;
const IDLE_MS = 4_000;
/** Whatever a receiver offers. */
const MAX_IDLE_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1_024;

interface OriginPool {
  readonly pool: Pool;
  readonly openedAt: number;
  usedAt: number;
}

export interface Pools {
  /** The pool to send with at `now`, milliseconds of `performance.now()`. */
  get(origin: string, now: number): Pool;
  /** Drops all connections. */
  destroy(): Promise<void>;
}

export function openPools(connector: Connector, maxConnections = MAX_CONNECTIONS): Pools {
  const pools = new Map<string, OriginPool>();
  const retiring = new Set<Pool>();

  /** Sends nothing new with a pool; what is under way is finished. */
  function retire(origin: string, pool: Pool): void {
    if (pools.get(origin)?.pool === pool) pools.delete(origin);
    if (pool.closed) return;
    retiring.add(pool);
    pool.close(() => retiring.delete(pool));
  }

  /** Makes room; where nothing is idle there is none, and what is under way is bounded by its sender. */
  function retireIdlest(): void {
    let idlest: [string, OriginPool] | undefined;
    for (const entry of pools) {
      if ((!idlest || entry[1].usedAt < idlest[1].usedAt) && entry[1].pool.stats.size === 0) idlest = entry;
    }
    if (idlest) retire(idlest[0], idlest[1].pool);
  }

  function openPool(origin: string): Pool {
    if (pools.size >= MAX_ORIGINS) retireIdlest();
    const pool = new Pool(origin, {
      connect: connector.connect,
      connections: MAX_CONNECTIONS_PER_ORIGIN,
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MAX_IDLE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The exchange has its own clock.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const retireWhenUnused = () => {
      const { connected, size } = pool.stats;
      if (connected === 0 && size === 0) retire(origin, pool);
    };
    pool
      .on("disconnect", retireWhenUnused)
      .on("connectionError", retireWhenUnused)
      .on("connect", () => {
        if (connector.open > maxConnections) retireIdlest();
      });
    return pool;
  }

  return {
    get(origin, now) {
      const known = pools.get(origin);
      if (known && now - known.openedAt < POOL_AGE_MS) {
        known.usedAt = now;
        return known.pool;
      }
      if (known) retire(origin, known.pool);
      const pool = openPool(origin);
      pools.set(origin, { pool, openedAt: now, usedAt: now });
      return pool;
    },
    async destroy() {
      const all = [...retiring, ...Array.from(pools.values(), ({ pool }) => pool)];
      pools.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}
