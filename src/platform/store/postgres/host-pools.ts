// The pools of all hosts of a database URL: leases connections to the first host that can be used, and replaces the pools of a
// host that has fallen silent.
import type { Pool, PoolClient } from "pg";
import type { Connections, StoreError } from "../database.ts";
import { storeFailureReason } from "../failure.ts";
import { PooledConnection, isNotPrepared } from "./connection.ts";
import type { Lease } from "./connection.ts";
import { openHost } from "./driver.ts";
import type { Host, Use } from "./driver.ts";
import { isOpeningRefused, isShortage, mayHaveMoved, refuseHosts } from "./host-failures.ts";
import type { HostFailure } from "./host-failures.ts";
import { hostOf } from "./hosts.ts";
import type { PostgresTarget } from "./hosts.ts";
import { readPlace, requireSameStore } from "./same-store.ts";

/** While no host can be used, the pools look for one at this interval, however many leases are requested. */
export const RETRY_MS = 250;
/** While a pooler mixes sessions, it is examined at this interval: that takes up to nine of its sessions. */
const EXAMINE_MS = 1_000;

/** Whether a pooler gives each transaction another session, and loses what was prepared. */
const isPoolerMixing = (error: unknown) => storeFailureReason(error) === "transaction_pooling";

/** Ends the pools later, so that requests that are waiting for one get its idle connections first. */
function retire(host: Host): void {
  setImmediate(() => Object.values(host).forEach((pool) => void pool.end()));
}

export interface HostPoolOptions {
  /** Called when an exclusive connection was opened. */
  onConnect(): void;
  /** Called with the error when no host can be used. */
  onFailure(error: StoreError): void;
  /** Reads the hosts and the login again, which may have changed; null where they can't. Throws an Error that says what is wrong. */
  readTarget(): PostgresTarget | null;
  /** Throws a StoreError when a pooler at this URL loses prepared statements. */
  requirePrepared(url: string): Promise<void>;
}

export class HostPools {
  readonly #options: HostPoolOptions;
  #target: PostgresTarget;
  #hosts: Host[];
  /** The last used host. */
  #current = 0;
  /** The URLs of hosts that have lost a prepared statement, with the examination that runs. */
  readonly #suspects = new Map<string, Promise<void> | null>();
  /** Which store this is (same-store.ts); null: it is not known yet. */
  #begun: string | null = null;
  #renewing: Promise<boolean> | undefined;
  /** When an open session last responded, of `performance.now()`. */
  readonly #respondedAt = new WeakMap<Host, number>();
  /** Leases that wait for a session to be opened, each with what gives it an idle one instead. */
  readonly #opening = new Set<() => void>();
  /** By use: a server may refuse one more connection and still serve those that are open. */
  #outages: Partial<Record<Use, { readonly error: StoreError; readonly endsAt: number }>> = {};

  constructor(target: PostgresTarget, options: HostPoolOptions) {
    this.#target = target;
    this.#options = options;
    this.#hosts = target.urls.map((url) => this.#open(url));
  }

  /** Leases a connection to a host that can be used. Tries each host once, the last used one first. */
  async lease(use: Use): Promise<Lease> {
    const outage = this.#outages[use];
    if (outage && performance.now() < outage.endsAt) throw outage.error;
    const askedAt = performance.now();
    const first = this.#current;
    const failures: HostFailure[] = [];
    let isServing = false;
    for (let step = 0; step < this.#hosts.length; step++) {
      const at = (first + step) % this.#hosts.length;
      const url = this.#target.urls[at] as string;
      try {
        // Without a suspicion the pool is asked at once: it ends after those that asked it before.
        if (this.#suspects.has(url)) await this.#requirePrepared(url);
        const host = this.#hosts[at] as Host;
        const client = await (use === "exclusive" ? this.#connect(host.exclusive, url) : host[use].connect());
        this.#current = at;
        delete this.#outages[use];
        return this.#leaseOf(client, host);
      } catch (error) {
        failures.push({ host: hostOf(url), error });
        isServing ||= (this.#respondedAt.get(this.#hosts[at] as Host) ?? 0) > askedAt;
      }
    }
    const error = refuseHosts(failures, isServing);
    if (mayHaveMoved(error.reason) && (await this.#renew(error))) return await this.lease(use);
    // The open connections continue to serve; the caller suspends the use when none is open.
    if (!isOpeningRefused(error)) this.suspend(use, error, isPoolerMixing(error) ? EXAMINE_MS : RETRY_MS);
    this.#options.onFailure(error);
    throw error;
  }

  /** Takes a connection that is idle. Without one it opens one, and takes one that another lease releases meanwhile. */
  async #connect(pool: Pool, url: string): Promise<PoolClient> {
    if (pool.idleCount > pool.waitingCount) return await pool.connect();
    const opening = pool.connect();
    return await new Promise((resolve, reject) => {
      const takeIdle = () => {
        if (pool.idleCount <= pool.waitingCount || !this.#opening.delete(takeIdle)) return;
        resolve(this.#connect(pool, url));
      };
      this.#opening.add(takeIdle);
      opening.then(
        (client) => {
          if (this.#opening.delete(takeIdle)) resolve(client);
          else this.#release(client);
        },
        (error: Error) => {
          if (this.#opening.delete(takeIdle)) reject(error);
          else this.#options.onFailure(refuseHosts([{ host: hostOf(url), error }], true));
        },
      );
    });
  }

  #release(client: PoolClient, isLast = false): void {
    client.release(isLast);
    for (const takeIdle of this.#opening) takeIdle();
  }

  /**
   * Reads the hosts and the login again, and resolves to whether they have changed. Connections in use go on. Rejects, and changes
   * nothing, when no new host can be used.
   */
  async renew(): Promise<boolean> {
    await this.identify().catch(() => undefined);
    return await this.#moveOn();
  }

  /** Finds out which store this is, as soon as it has a schema. */
  async identify(): Promise<void> {
    if (this.#begun !== null) return;
    const { connection, release } = await this.lease("exclusive");
    try {
      this.#begun = (await readPlace(connection)).begun;
    } finally {
      release();
    }
  }

  /** The target as the settings say now; null where it is the same. */
  #readOther(): PostgresTarget | null {
    const target = this.#options.readTarget();
    return target === null || target.urls.join() === this.#target.urls.join() ? null : target;
  }

  /** Opens one connection, and looks where it leads. A server without room for it has answered. */
  async #try(target: PostgresTarget): Promise<void> {
    const ignore = () => undefined;
    const tried = new HostPools(target, {
      ...this.#options,
      onConnect: ignore,
      onFailure: ignore,
      readTarget: () => null,
    });
    try {
      const { connection, release } = await tried.lease("exclusive");
      await requireSameStore(connection, this.#begun).finally(() => release(true));
    } catch (error) {
      if (!isShortage(error)) throw error;
    } finally {
      await tried.close();
    }
  }

  #moveTo(target: PostgresTarget): void {
    const old = this.#hosts;
    this.#target = target;
    this.#current = 0;
    this.#outages = {};
    this.#hosts = target.urls.map((url) => this.#open(url));
    old.forEach(retire);
  }

  /** Moves to another target where this one is of no use. What prevents it is added to the error; leases that fail together share one look. */
  async #renew(refused: StoreError): Promise<boolean> {
    try {
      this.#renewing ??= this.#moveOn().finally(() => (this.#renewing = undefined));
      return await this.#renewing;
    } catch (error) {
      refused.message += `; the URL as the settings have it now: ${(error as Error).message}`;
      return false;
    }
  }

  async #moveOn(): Promise<boolean> {
    const target = this.#readOther();
    if (target === null) return false;
    await this.#try(target);
    this.#moveTo(target);
    return true;
  }

  /** Throws when a host that has lost a prepared statement would lose others; leases that wait for this share one examination. */
  async #requirePrepared(url: string): Promise<void> {
    const running = this.#suspects.get(url);
    if (running === undefined) return;
    const examination = running ?? this.#options.requirePrepared(url);
    this.#suspects.set(url, examination);
    try {
      await examination;
      this.#suspects.delete(url);
    } catch (error) {
      // A pooler that has no session left for the examination may still serve; if it mixes them, the next failure tells.
      if (isShortage(error)) this.#suspects.delete(url);
      else {
        this.#suspects.set(url, null);
        throw error;
      }
    }
  }

  /** Fails all leases of this use with `error` for a while. */
  suspend(use: Use, error: StoreError, forMs: number): void {
    this.#outages[use] = { error, endsAt: performance.now() + forMs };
  }

  /** Whether leases of this use fail with this very error. */
  isSuspendedBy(use: Use, error: unknown): boolean {
    return this.#outages[use]?.error === error;
  }

  /** Idle exclusive connections to the last used host. */
  idleCount(): number {
    return (this.#hosts[this.#current] as Host).exclusive.idleCount;
  }

  /** Exclusive connections to all hosts. */
  count(): Pick<Connections, "host" | "total" | "idle"> {
    const sum = (count: (pool: Pool) => number) =>
      this.#hosts.reduce((all, { exclusive }) => all + count(exclusive), 0);
    return {
      host: hostOf(this.#target.urls[this.#current] as string),
      total: sum(({ totalCount }) => totalCount),
      idle: sum(({ idleCount }) => idleCount),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.flatMap((host) => Object.values(host)).map((pool) => pool.end()));
  }

  #open(url: string): Host {
    return openHost(url, this.#target.mustBeWritable, () => this.#options.onConnect());
  }

  /**
   * Replaces the pools of a host, unless that was done: all connections to a silent host are silent, and when one has lost a prepared
   * statement others have too.
   */
  #replace(old: Host, { isSuspect = false } = {}): void {
    const at = this.#hosts.indexOf(old);
    if (at < 0) return;
    const url = this.#target.urls[at] as string;
    if (isSuspect) this.#suspects.set(url, null);
    this.#hosts[at] = this.#open(url);
    retire(old);
  }

  #leaseOf(client: PoolClient, host: Host): Lease {
    const connection = new PooledConnection(client, {
      onLost: (error) => this.#replace(host, { isSuspect: isNotPrepared(error) }),
      onResponse: () => void this.#respondedAt.set(host, performance.now()),
    });
    return {
      connection,
      isCurrent: () => connection.isUsable && this.#hosts[this.#current] === host,
      // An idle connection that breaks is unusable some milliseconds before it ends.
      onEnd: (listener) => void client.once("error", listener).once("end", listener),
      release: (isLast = false) => {
        this.#release(client, isLast || !connection.isUsable);
        if (connection.isSilent) this.#replace(host);
      },
    };
  }
}
