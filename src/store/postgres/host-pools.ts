// The pools of all hosts of a database URL: leases connections to the first host that can be used, and replaces the pools of a
// host that has fallen silent.
import type { Pool, PoolClient } from "pg";
import { StoreError } from "../database.ts";
import { storeFailureReason } from "../failure.ts";
import { PooledConnection, isTimeout, messageOf } from "./connection.ts";
import type { Lease } from "./connection.ts";
import { openHost } from "./driver.ts";
import type { Host, Use } from "./driver.ts";
import type { PostgresTarget } from "./hosts.ts";

/** While no host can be used, the pools look for one at this interval, however many leases are requested. */
export const RETRY_MS = 250;

const CONNECTION_ADVICE = "raise max_connections or the limit of the role or database, or start fewer servers";

/** The beginning of a pooler's error about startup parameters, in which sessions get their limits. */
const UNSUPPORTED = "unsupported startup parameter";
const POOLER_ADVICE = "let the pooler pass or ignore it (ignore_startup_parameters; see docs/postgresql.md)";

/** Whether the server has no room for one more connection. */
export const isShortage = (error: unknown) => storeFailureReason(error) === "too_few_connections";

/**
 * The error when no host can be used. Of several failures, a host without room or without a response may be the one that accepts
 * writes, and the others its standbys.
 */
function refuseHosts(failures: readonly unknown[]): StoreError {
  const cause = failures.find(isShortage) ?? failures.find(isTimeout) ?? failures.at(-1);
  const reason = isTimeout(cause) ? "silent" : (storeFailureReason(cause) ?? "unreachable");
  const message = messageOf(cause);
  const advice = isShortage(cause) ? CONNECTION_ADVICE : message.startsWith(UNSUPPORTED) ? POOLER_ADVICE : null;
  return new StoreError(`cannot reach PostgreSQL: ${[message, ...(advice ? [advice] : [])].join(": ")}`, {
    cause,
    reason,
  });
}

export interface HostPoolOptions {
  /** Called when an exclusive connection was opened. */
  onConnect(): void;
  /** Called with the error when no host can be used. */
  onFailure(error: StoreError): void;
}

export class HostPools {
  readonly #target: PostgresTarget;
  readonly #options: HostPoolOptions;
  readonly #hosts: Host[];
  /** The last used host. */
  #current = 0;
  /** By use: a server may refuse one more connection and still serve those that are open. */
  readonly #outages: Partial<Record<Use, { readonly error: StoreError; readonly endsAt: number }>> = {};

  constructor(target: PostgresTarget, options: HostPoolOptions) {
    this.#target = target;
    this.#options = options;
    this.#hosts = target.urls.map((url) => this.#open(url));
  }

  /** Leases a connection to a host that can be used. Tries each host once, the last used one first. */
  async lease(use: Use): Promise<Lease> {
    const outage = this.#outages[use];
    if (outage && performance.now() < outage.endsAt) throw outage.error;
    const first = this.#current;
    const failures: unknown[] = [];
    for (let step = 0; step < this.#hosts.length; step++) {
      const at = (first + step) % this.#hosts.length;
      const host = this.#hosts[at] as Host;
      try {
        const client = await host[use].connect();
        this.#current = at;
        delete this.#outages[use];
        return this.#leaseOf(client, host);
      } catch (error) {
        failures.push(error);
      }
    }
    const error = refuseHosts(failures);
    // If the server has no room, the open connections continue to serve; the caller suspends the use when none is open.
    if (!isShortage(error)) this.suspend(use, error, RETRY_MS);
    this.#options.onFailure(error);
    throw error;
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
  count(): { readonly total: number; readonly idle: number } {
    const sum = (count: (pool: Pool) => number) =>
      this.#hosts.reduce((all, { exclusive }) => all + count(exclusive), 0);
    return { total: sum(({ totalCount }) => totalCount), idle: sum(({ idleCount }) => idleCount) };
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.flatMap((host) => Object.values(host)).map((pool) => pool.end()));
  }

  #open(url: string): Host {
    const host = openHost(url, this.#target.mustBeWritable);
    host.exclusive.on("connect", () => this.#options.onConnect());
    return host;
  }

  /**
   * Replaces the pools of a host: all connections to a silent host are silent, and after a change of the schema all have
   * outdated plans.
   */
  #replace(old: Host): void {
    const at = this.#hosts.indexOf(old);
    if (at < 0) return;
    this.#hosts[at] = this.#open(this.#target.urls[at] as string);
    // Later, so that requests that are waiting for an old pool get its idle connections first.
    setImmediate(() => Object.values(old).forEach((pool) => void pool.end()));
  }

  #leaseOf(client: PoolClient, host: Host): Lease {
    const connection = new PooledConnection(client, () => this.#replace(host));
    return {
      connection,
      isCurrent: () => connection.isUsable && this.#hosts[this.#current] === host,
      // An idle connection that breaks is unusable some milliseconds before it ends.
      onEnd: (listener) => void client.once("error", listener).once("end", listener),
      release: (isLast = false) => {
        client.release(isLast || !connection.isUsable);
        if (connection.isSilent) this.#replace(host);
      },
    };
  }
}
