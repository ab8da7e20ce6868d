// The databases of a PostgreSQL server.
import pg from "pg";

/** Runs a statement on the server, on a connection of its own. */
export async function runOnServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The URL of one of the server's databases. */
export function urlOfDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops the databases whose name begins so, no matter who is connected to them. */
export async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>("select datname from pg_database");
    for (const { datname } of rows.filter((row) => row.datname.startsWith(prefix)))
      await client.query(`drop database if exists ${datname} with (force)`);
  } finally {
    await client.end();
  }
}
