// Clients that read and change through a proxy, and know what has to be stored.
import { randomUUID } from "node:crypto";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { fetch } from "undici";
import { createClient } from "../../src/client/client.ts";
import { waitFor } from "../harness/wait-for.ts";
import { agentOf } from "./front-world.ts";
import { ADMIN_TOKEN } from "./restart-world.ts";
import type { Pair } from "./restart-world.ts";

const CLIENTS = 4;
/** Of each client; so 200 requests a second through each proxy. A client waits for each response, so a slow machine gets fewer. */
const PERIOD_MS = 20;

interface Outcome {
  readonly counts: Readonly<Record<string, number>>;
  /** What was expected of each request, and what came. */
  readonly failures: readonly string[];
  readonly seconds: number;
}

export interface Traffic {
  /** Lets each client end its request, and looks whether everything that was acknowledged is stored once. */
  stop(): Promise<Outcome>;
}

interface Received {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
  readonly body: any;
}

/** Begins when the proxy serves. */
export async function startTraffic(url: string, pair: Pair): Promise<Traffic> {
  const direct = createClient({ server: pair.url, token: ADMIN_TOKEN });
  const dispatcher = agentOf(false, "127.0.0.2");
  const counts: Record<string, number> = { GET: 0, PATCH: 0, POST: 0, busy: 0 };
  const failures: string[] = [];
  const stopping = new AbortController();

  async function send(base: string, method: string, path: string, body?: object): Promise<Received> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" };
    const init = { method, headers, dispatcher, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(base + path, init);
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) };
    } catch {
      return { status: response.status, body: text };
    }
  }

  /** Sends a request until the server is not too busy for it, which is no fault of a restart. Undefined: it failed. */
  async function call(method: string, path: string, body?: object): Promise<Received["body"]> {
    for (;;) {
      const received = await send(url, method, path, body).catch((error: unknown) => {
        const { message, cause } = error as Error;
        return { status: 0, body: `${message}: ${String(cause)}` };
      });
      if (received.status === 503 && received.body?.error?.code === "overloaded") {
        counts["busy"]!++;
        await setTimeout(PERIOD_MS);
        continue;
      }
      counts[method]!++;
      if (received.status === 200) return received.body;
      failures.push(`${method} ${path}: ${received.status} ${JSON.stringify(received.body)}`);
      return undefined;
    }
  }

  async function runClient(): Promise<void> {
    const slug = `team-${randomUUID()}`;
    const made = await send(pair.url, "POST", "/v1/teams", { slug });
    const path = `/v2/teams/${made.body.id}`;
    const secrets: string[] = [];
    let name = "";
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const startedAt = performance.now();
      if (turn % 3 === 0) {
        const wanted = `Name ${turn}`;
        if (await call("PATCH", path, { name: wanted })) name = wanted;
      } else if (turn % 3 === 1) {
        const wanted = `SECRET_${turn}`;
        if (await call("POST", `/v2/secrets?slug=${slug}`, { name: wanted, value: wanted })) secrets.push(wanted);
      } else {
        // By either process: what was acknowledged is seen by the next read.
        const team = await call("GET", path);
        if (team && team.name !== name) failures.push(`GET ${path}: ${team.name} after ${name} was acknowledged`);
      }
      await setTimeout(Math.max(0, PERIOD_MS - (performance.now() - startedAt)));
    }
    const stored: string[] = [];
    for await (const { name: found } of direct.items("listSecrets", { query: { slug, limit: 100 } }))
      stored.push(found);
    // An acknowledged one is stored once: a second request for its name would have been refused.
    if (!isDeepStrictEqual(stored.toReversed(), secrets)) failures.push(`${slug}: ${stored.length} secrets are stored`);
  }

  await waitFor("the proxy to serve", async () => {
    const live = await send(url, "GET", "/health/live").catch(() => undefined);
    return live?.status === 200 || undefined;
  });
  // A test that fails does not stop them.
  after(() => stopping.abort());
  const startedAt = performance.now();
  const clients = Array.from({ length: CLIENTS }, runClient);
  return {
    async stop() {
      stopping.abort();
      const seconds = (performance.now() - startedAt) / 1_000;
      await Promise.all(clients);
      return { counts, failures, seconds };
    },
  };
}
