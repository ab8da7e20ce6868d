// What an operator is told by a start, a running server and `reeve doctor`, for tests of faults of PostgreSQL.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { TestContext } from "node:test";
import { runReeve, serveReeve, stopReeve } from "../../cli/reeve-process.ts";
import type { RunningServer } from "../../cli/reeve-process.ts";
import { waitFor } from "../../harness/wait-for.ts";
import type { PostgresNode } from "../../postgres/node.ts";

const token = "an_administrators_token_of_this_test_file";
export const dataDir = mkdtempSync(join(tmpdir(), "reeve-told-"));
after(() => rmSync(dataDir, { recursive: true, force: true }));
export const FLAGS = { dataDir, bootstrapToken: token, logLevel: "info" };

export interface DoctorLine {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
  readonly advice?: string;
}

export async function examine(databaseUrl: string): Promise<ReadonlyMap<string, DoctorLine>> {
  const { stdout, stderr } = await runReeve(["doctor", "--json"], { ...FLAGS, databaseUrl });
  const { findings } = JSON.parse(stdout || stderr) as { readonly findings: readonly DoctorLine[] };
  return new Map(findings.map((line) => [line.check, line]));
}

/** A server can't start, says so in one line with `words`, and so does doctor, in the line `check`. */
export async function assertNamed(databaseUrl: string, words: RegExp, check = "store"): Promise<void> {
  const { code, stderr } = await runReeve(["serve", "--port", "0"], { ...FLAGS, databaseUrl });
  assert.equal(code, 69, stderr);
  assert.match(stderr, words);
  assert.equal(stderr.trim().split("\n").length, 1, stderr);
  const line = (await examine(databaseUrl)).get(check);
  assert.equal(line?.status, "fault");
  assert.match(`${line?.detail}: ${line?.advice}`, words);
}

export async function startServer(
  t: TestContext,
  flags: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const server = await serveReeve({ ...FLAGS, ...flags }, more);
  t.after(() => stopReeve(server));
  return server;
}

export interface Health {
  readonly status: number;
  readonly codes: readonly string[];
}

export async function readHealth({ url }: RunningServer): Promise<Health> {
  const response = await fetch(`${url}/health/ready`);
  const text = await response.text();
  return {
    status: response.status,
    codes: [...text.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code as string),
  };
}

/** A response is cached for a second. */
export async function untilCode(server: RunningServer, code: string): Promise<void> {
  await waitFor(code, async () => {
    const { status, codes } = await readHealth(server);
    return (status === 503 && codes.includes(code)) || undefined;
  });
}

/** Ends the sessions of Reeve, so that it opens new ones, and waits until they are gone: a request would be given one that ends. */
export const endSessions = (node: PostgresNode) =>
  node.query("select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'reeve-2'");

export const untilReady = async (server: RunningServer) =>
  await waitFor("readiness", async () => (await readHealth(server)).status === 200 || undefined);

export const untilLogged = async (server: RunningServer, words: RegExp) =>
  await waitFor("the log to tell", () => words.test(server.logged()) || undefined);

async function send({ url }: RunningServer, path: string, method: string, body?: object): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  await response.arrayBuffer();
  return response.status;
}

export const createTeam = (server: RunningServer, slug: string) => send(server, "/v1/teams", "POST", { slug });

export const renameTeam = (server: RunningServer, slug: string, name: string) =>
  send(server, `/v1/teams/${slug}`, "PATCH", { name });

export const listTeams = (server: RunningServer) => send(server, "/v1/teams", "GET");

/** Creates teams at once, each again while the server has too much to do. */
export async function createTeams(server: RunningServer, name: string, count: number): Promise<void> {
  const slugs = Array.from({ length: count }, (_, n) => `${name}-${n}`);
  const create = (slug: string) =>
    waitFor(slug, async () => {
      const status = await createTeam(server, slug);
      if (status !== 503) assert.equal(status, 200, slug);
      return status === 200;
    });
  await Promise.all(slugs.map(create));
}
