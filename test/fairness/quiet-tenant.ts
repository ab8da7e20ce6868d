// What one client does must cost others little: measures a quiet tenant alone and then beside an attack, on a Reeve process of its own.
//
// To add a row: `const fair = await startFairServer()` once in a test file of this folder, then in a test
// `await fair.holds(start)`. `start` begins the attack, returns when it is in effect, and gives a function that ends it.
// Attack as a member with `await fair.createMember()`, whose account is its own, or as a stranger without a credential.
// The attack runs in the process of the test, the quiet tenant in a thread, and Reeve in a process.
import assert from "node:assert/strict";
import { once } from "node:events";
import { after } from "node:test";
import { Worker } from "node:worker_threads";
import type { Flags } from "../../src/serve/config/config.ts";
import { runReeve, serveReeve, stopReeve } from "../cli/reeve-process.ts";
import { percentile } from "../faults/load/flood.ts";
import { createStorage } from "../harness/test-app.ts";

/** A team of an account of its own, with an API key. */
export interface Member {
  readonly teamId: string;
  readonly key: string;
}

/** What the quiet tenant does, in turn. */
export const QUIET_KINDS = ["read", "change", "newConnection"] as const;
type QuietKind = (typeof QUIET_KINDS)[number];

export interface QuietResult {
  /** How long each request took. */
  readonly ms: Readonly<Record<QuietKind, number[]>>;
  /** What did not get a 200: statuses and errors. */
  readonly failures: readonly string[];
}

export interface QuietPlan extends Member {
  readonly url: string;
  readonly rounds: number;
  /** Pause between two rounds. */
  readonly everyMs: number;
}

export type StartAttack = () => Promise<() => Promise<void>>;

export interface FairServer {
  readonly url: string;
  readonly port: number;
  /** Undefined for the embedded store. */
  readonly databaseUrl: string | undefined;
  createMember(): Promise<Member>;
  /** Sends a request as the administrator, or with another credential. */
  request(method: string, path: string, body?: unknown, token?: string): Promise<Response>;
  /** Fails unless a quiet tenant is served beside the attack as well as without it. */
  holds(start: StartAttack): Promise<void>;
}

/** Three requests each, 600 a minute at most: a quiet tenant meets no limit of its own. */
const PLAN = { rounds: 40, everyMs: 40 };
const WORKER = new URL("quiet-tenant-worker.ts", import.meta.url);
/** A busy machine takes this long without any attack. */
const P50_FLOOR_MS = 50;
const P99_FLOOR_MS = 250;
const TIMES = 5;
/** The machine has other work too: an attack makes all of these measurements slow. */
const MEASUREMENTS = 3;
const ADMIN_TOKEN = "an_administrators_token_of_this_test_file";

async function measureQuiet(plan: QuietPlan): Promise<QuietResult> {
  const worker = new Worker(WORKER, { workerData: plan });
  const [result] = (await once(worker, "message")) as [QuietResult];
  await worker.terminate();
  return result;
}

const rounded = (ms: number) => Math.round(ms * 10) / 10;
const medians = ({ ms }: QuietResult) =>
  Object.fromEntries(QUIET_KINDS.map((kind) => [kind, rounded(percentile(ms[kind], 0.5))])) as Record<
    QuietKind,
    number
  >;
const p99 = ({ ms }: QuietResult) =>
  rounded(
    percentile(
      QUIET_KINDS.flatMap((kind) => ms[kind]),
      0.99,
    ),
  );

/** What takes longer than it may beside the attack. */
function findSlow(alone: readonly QuietResult[], beside: QuietResult) {
  const [before, between] = [alone.map(medians), medians(beside)];
  const bounds = QUIET_KINDS.map((kind) => {
    const undisturbed = Math.max(...before.map((of) => of[kind]));
    return { kind, ms: between[kind], boundMs: Math.max(TIMES * undisturbed, P50_FLOOR_MS) };
  });
  const tail = { kind: "p99", ms: p99(beside), boundMs: Math.max(TIMES * Math.max(...alone.map(p99)), P99_FLOOR_MS) };
  console.log({ alone: before, beside: between, p99Alone: alone.map(p99), p99Beside: tail.ms });
  assert.deepEqual(beside.failures.slice(0, 3), [], `${beside.failures.length} requests of the quiet tenant failed`);
  return [...bounds, tail].filter(({ ms, boundMs }) => ms > boundMs);
}

/** Starts a server for the test file, with the usual rate limit unless `flags` say otherwise. */
export async function startFairServer(flags: Flags = {}): Promise<FairServer> {
  const storage = await createStorage({ isMigrated: true });
  const server = await serveReeve({ ...storage.flags, bootstrapToken: ADMIN_TOKEN, logLevel: "fatal", ...flags });
  after(async () => {
    await stopReeve(server);
    await storage.remove();
  });
  let members = 0;

  const request: FairServer["request"] = async (method, path, body, token = ADMIN_TOKEN) =>
    await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  async function created<T>(path: string, body: unknown, token?: string): Promise<T> {
    const response = await request("POST", path, body, token);
    assert.equal(response.status, 200);
    return (await response.json()) as T;
  }

  async function createMember(): Promise<Member> {
    members++;
    const slug = `member-${members}`;
    await created("/v1/users", { username: slug, email: `${slug}@example.com` });
    const issued = await runReeve(["token", "create", "--user", slug, "--name", "member", "--json"], storage.flags);
    assert.equal(issued.code, 0, issued.stderr);
    const token = (JSON.parse(issued.stdout) as { readonly bearerToken: string }).bearerToken;
    const { id: teamId } = await created<{ readonly id: string }>("/v1/teams", { slug }, token);
    const order = { name: "member", role: "OWNER" };
    const { value: key } = await created<{ readonly value: string }>(`/v1/api-keys?teamId=${teamId}`, order, token);
    return { teamId, key };
  }

  return {
    url: server.url,
    port: Number(new URL(server.url).port),
    databaseUrl: storage.flags.databaseUrl,
    createMember,
    request,
    async holds(start) {
      const measure = async () => await measureQuiet({ ...PLAN, url: server.url, ...(await createMember()) });
      const before = await measure();
      const quiet = await createMember();
      let slow: readonly unknown[] = [];
      for (let left = MEASUREMENTS; left > 0; left--) {
        const stop = await start();
        const beside = await measureQuiet({ ...PLAN, url: server.url, ...quiet });
        await stop();
        slow = findSlow([before, await measure()], beside);
        if (slow.length === 0) return;
      }
      assert.deepEqual(slow, [], "the quiet tenant waits");
    },
  };
}
