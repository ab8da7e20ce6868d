// Whether a session of PostgreSQL is what Reeve takes it for: a pooler in front may give each transaction another one, without
// what was prepared, and without the limits that it was to begin with.
import pg from "pg";
import type { PoolClient } from "pg";
import { createPool } from "./driver.ts";
import { parsePostgresUrl } from "./hosts.ts";

/** So many transactions are held at most until the first connection gets another session. */
const MAX_HELD = 8;
const ANSWER_MS = 3_000;

export interface SessionFacts {
  /** Transactions of one connection run in several sessions of the server. */
  readonly areShared: boolean;
  /** What was prepared on a connection can be used on it. */
  readonly keepPrepared: boolean;
  /** Statements are ended by the server when they take too long. */
  readonly areLimited: boolean;
}

const WHO = "select pg_backend_pid() as pid, current_setting('statement_timeout') as statement_timeout";
/** No such prepared statement, or one of that name that somebody else has made. */
const NOT_PREPARED: ReadonlySet<string> = new Set(["26000", "42P05"]);

interface Session {
  readonly pid: number;
  readonly statement_timeout: string;
}

async function ask(client: PoolClient): Promise<Session> {
  const { rows } = await client.query<Session>({ name: "reeve-sessions", text: WHO });
  return rows[0] as Session;
}

/** Whether the connection got another session as soon as others had taken its own. */
async function findOther(connect: () => Promise<PoolClient>, one: PoolClient, own: Session): Promise<boolean> {
  for (let held = 0; held < MAX_HELD; held++) {
    await (await connect()).query("begin");
    const { pid } = await ask(one);
    if (pid !== own.pid) return true;
  }
  return false;
}

/** Looks at the first host of a URL that can be connected to; throws when a connection can't be made. */
export async function examineSessions(url: string): Promise<SessionFacts> {
  const pool = createPool(parsePostgresUrl(url).urls[0] as string, { max: MAX_HELD + 1, query_timeout: ANSWER_MS });
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
