// Examines whether connections keep their session: a pooler may give each transaction another session, without the prepared
// statements and the limits of the first one.
import pg from "pg";
import type { PoolClient } from "pg";
import { createPool } from "./driver.ts";
import { parsePostgresUrl } from "./hosts.ts";

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
/** The prepared statement does not exist, or another client has prepared one with that name. */
const NOT_PREPARED: ReadonlySet<string> = new Set(["26000", "42P05"]);

interface Session {
  readonly pid: number;
  readonly statement_timeout: string;
}

async function ask(client: PoolClient): Promise<Session> {
  const { rows } = await client.query<Session>({ name: "reeve-sessions", text: WHO });
  return rows[0] as Session;
}

/** Whether a connection gets another session once other connections use its own. */
async function findOther(connect: () => Promise<PoolClient>, one: PoolClient, own: Session): Promise<boolean> {
  for (let held = 0; held < MAX_HELD; held++) {
    await (await connect()).query("begin");
    const { pid } = await ask(one);
    if (pid !== own.pid) return true;
  }
  return false;
}

/** Examines the first host of a URL that accepts a connection; throws when none does. */
export async function examineSessions(url: string): Promise<SessionReport> {
  const pool = createPool(parsePostgresUrl(url).urls[0] as string, {
    max: MAX_HELD + 1,
    query_timeout: RESPONSE_TIMEOUT_MS,
  });
  const clients: PoolClient[] = [];
  const connect = async () => {
    const client = await pool.connect();
    clients.push(client);
    return client;
  };
  try {
    const one = await connect();
    const own = await ask(one);
    const areLimited = own.statement_timeout !== "0";
    try {
      return { areShared: await findOther(connect, one, own), keepPrepared: true, areLimited };
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !NOT_PREPARED.has(error.code ?? "")) throw error;
      return { areShared: true, keepPrepared: false, areLimited };
    }
  } finally {
    for (const client of clients) client.release(true);
    await pool.end();
  }
}
