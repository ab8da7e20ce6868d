// Examines whether connections keep their session: a pooler may give each transaction another session, without the prepared
// statements and the limits of the first one.
import { randomUUID } from "node:crypto";
import type { PoolClient } from "pg";
import { StoreError } from "../database.ts";
import { STORE_ADVICE } from "../failure.ts";
import { isNotPrepared, messageOf } from "./connection.ts";
import { createPool } from "./driver.ts";
import { isShortage } from "./host-failures.ts";
import { hostOf, parsePostgresUrl } from "./hosts.ts";

/** The maximum number of transactions to hold open until the first connection gets another session. */
const MAX_HELD = 8;
const RESPONSE_TIMEOUT_MS = 3_000;

export interface SessionReport {
  /** Transactions of one connection run in several sessions of the server. */
  readonly areShared: boolean;
  /** Prepared statements of a connection can be used on it later. */
  readonly keepPrepared: boolean;
  /** The server ends statements that take too long. */
  readonly areLimited: boolean;
}

const WHO = "select pg_backend_pid() as pid, current_setting('statement_timeout') as statement_timeout";
interface Session {
  readonly pid: number;
  readonly statement_timeout: string;
}

/** `name`: of the prepared statement. */
async function askWho(client: PoolClient, name: string): Promise<Session> {
  const { rows } = await client.query<Session>({ name, text: WHO });
  return rows[0] as Session;
}

/** Whether a connection gets another session once other connections use its own. */
async function findOther(
  connect: () => Promise<PoolClient>,
  own: Session,
  ask: () => Promise<Session>,
): Promise<boolean> {
  try {
    for (let held = 0; held < MAX_HELD; held++) {
      await (await connect()).query("begin");
      const { pid } = await ask();
      if (pid !== own.pid) return true;
    }
  } catch (error) {
    // A pooler without one more session keeps that of the idle connection for it.
    if (!isShortage(error)) throw error;
  }
  return false;
}

/** The process that serves a connection, as the server or a pooler told it at the start. */
export function processIdOf(client: object): number | null {
  return (client as { readonly processID?: number | null }).processID ?? null;
}

async function examineHost(url: string, mustBeWritable: boolean): Promise<SessionReport> {
  const pool = createPool(url, { mustBeWritable, max: MAX_HELD + 1, query_timeout: RESPONSE_TIMEOUT_MS });
  const clients: PoolClient[] = [];
  const connect = async () => {
    const client = await pool.connect();
    clients.push(client);
    return client;
  };
  try {
    const one = await connect();
    // A new name: a pooler that mixed sessions before may still have one in which an examination has prepared its statement.
    const name = `reeve-sessions-${randomUUID()}`;
    const ask = () => askWho(one, name);
    const own = await ask();
    const areLimited = own.statement_timeout !== "0";
    if (own.pid === processIdOf(one)) return { areShared: false, keepPrepared: true, areLimited };
    try {
      return { areShared: await findOther(connect, own, ask), keepPrepared: true, areLimited };
    } catch (error) {
      if (!isNotPrepared(error)) throw error;
      return { areShared: true, keepPrepared: false, areLimited };
    }
  } finally {
    for (const client of clients) client.release(true);
    await pool.end();
  }
}

/** Examines the first host of a URL that Reeve would use; throws the last one's error when it would use none. */
export async function examineSessions(url: string): Promise<SessionReport> {
  const { urls, mustBeWritable } = parsePostgresUrl(url);
  let failure: unknown;
  for (const one of urls) {
    try {
      return await examineHost(one, mustBeWritable);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Throws a StoreError when a pooler loses prepared statements: every change would fail sooner or later. */
export async function requirePrepared(url: string): Promise<void> {
  if ((await examineSessions(url)).keepPrepared) return;
  const message = "a pooler gives each transaction another session, and what was prepared is not found there";
  throw new StoreError(`${message}: ${STORE_ADVICE.transaction_pooling}`, { reason: "transaction_pooling" });
}

export interface HostReport {
  readonly host: string;
  /** Whether Reeve can write there; otherwise `detail` says why not. */
  readonly isWritable: boolean;
  /** Whether Reeve can log in there. */
  readonly isReached: boolean;
  readonly detail: string;
}

/** What each host of a URL is: `primary`, `standby`, or why it can't be used. */
export async function examineHosts(url: string): Promise<readonly HostReport[]> {
  return await Promise.all(
    parsePostgresUrl(url).urls.map(async (one): Promise<HostReport> => {
      const host = hostOf(one);
      const pool = createPool(one, { mustBeWritable: true, max: 1, query_timeout: RESPONSE_TIMEOUT_MS });
      try {
        (await pool.connect()).release();
        return { host, isWritable: true, isReached: true, detail: "primary" };
      } catch (error) {
        // A StoreError is that of a server that accepts no writes.
        const isReached = error instanceof StoreError;
        return { host, isWritable: false, isReached, detail: isReached ? error.reason : messageOf(error) };
      } finally {
        await pool.end();
      }
    }),
  );
}
