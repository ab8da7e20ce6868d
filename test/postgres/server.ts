// A real PostgreSQL for the tests: the server of REEVE_TEST_DATABASE_URL, or one from npm in a temporary folder, without fsync
// because its data does not survive the run.
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { readSettings } from "../../src/serve/config/config.ts";
import { migrateStore } from "../../src/serve/prepare-store.ts";
import { runOnServer, urlOfDatabase } from "./databases.ts";
import { createPostgresNode } from "./node.ts";
import type { PostgresNode } from "./node.ts";

export interface PostgresServer {
  readonly url: string;
  /** Variables by which tests find the server and its template. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Makes a database with the schema and no rows: to copy it takes a tenth of the time of migrating an empty one. */
async function createTemplate(url: string): Promise<string> {
  const template = `reeve_template_${randomBytes(6).toString("hex")}`;
  await runOnServer(url, `create database ${template}`);
  const settings = readSettings({ dataDir: tmpdir(), databaseUrl: urlOfDatabase(url, template) }, {});
  await migrateStore(settings, {}, Date.now);
  return template;
}

function describeServer(url: string, template: string, stop: () => Promise<void>): PostgresServer {
  return { url, environment: { REEVE_TEST_DATABASE_URL: url, REEVE_TEST_TEMPLATE: template }, stop };
}

/** Starts a server, and makes the template in it. */
export async function serveNode(node: PostgresNode): Promise<PostgresServer> {
  await node.start();
  const url = `postgres://${node.login}@${node.host}/postgres`;
  return describeServer(url, await createTemplate(url), () => node.remove());
}

export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env["REEVE_TEST_DATABASE_URL"];
  if (given) {
    const template = await createTemplate(given);
    return describeServer(given, template, () => runOnServer(given, `drop database ${template}`));
  }
  return await serveNode(await createPostgresNode("postgres", { configuration: ["max_connections = 800"] }));
}
