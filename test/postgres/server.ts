// A real PostgreSQL for the tests: the server of REEVE_TEST_DATABASE_URL, or one from npm in a temporary folder, without fsync
// because its data does not survive the run.
import { createPostgresNode } from "./node.ts";

export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env["REEVE_TEST_DATABASE_URL"];
  if (given) return { url: given, stop: async () => undefined };
  const node = await createPostgresNode("postgres", { configuration: ["max_connections = 600"] });
  await node.start();
  return { url: `postgres://${node.login}@${node.host}/postgres`, stop: () => node.remove() };
}
