// Clients that read and change through a proxy, over HTTP/1.1 and HTTP/2, and know what has to be stored.
import { randomUUID } from "node:crypto";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { request } from "undici";
import { createClient } from "../../src/client/client.ts";
import { waitFor } from "../harness/wait-for.ts";
import { agentOf } from "./front-world.ts";
import { openHttp2 } from "./http2-client.ts";
import { ADMIN_TOKEN } from "./restart-world.ts";
import type { Pair } from "./restart-world.ts";

const ADDRESS = "127.0.0.2";
/** Every second one speaks HTTP/2; these share a connection. */
const CLIENTS = 10;
/** Of each client; so 200 requests a second through each proxy. A client waits for each response, so a slow machine gets fewer. */
const PERIOD_MS = 50;

/** Requests by their method; those that the server was too busy for; GOAWAYs, and what was sent again because of them. */
export type Counts = Record<"GET" | "PATCH" | "POST" | "busy" | "goaways" | "resent", number>;

export interface Traffic {
  /** So far. */
  counts(): Counts;
  /** What was expected of each request that failed, and what came. Lets each client end its request, and looks whether everything that was
   * acknowledged is stored once. */
  stop(): Promise<readonly string[]>;
}

type Team = { readonly id: string; readonly slug: string };
type Method = "GET" | "PATCH" | "POST";
type Send = (method: Method, path: string, headers: object, body?: string) => Promise<{ status: number; text: string }>;

/** Begins when the proxy serves. */
export async function startTraffic(url: string, pair: Pair): Promise<Traffic> {
  const direct = createClient({ server: pair.url, token: ADMIN_TOKEN });
  const dispatcher = agentOf(false, ADDRESS);
  const http2 = openHttp2(url, ADDRESS);
  const counts = { GET: 0, PATCH: 0, POST: 0, busy: 0 };
  const failures: string[] = [];
  const stopping = new AbortController();

  const sendHttp1: Send = async (method, path, headers, body) => {
    const response = await request(url + path, { method, headers: { ...headers }, body: body ?? null, dispatcher });
    return { status: response.statusCode, text: await response.body.text() };
  };

  /** Sends a request until the server is not too busy for it, which is no fault of a restart. Undefined: it failed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- looked into freely
  async function call(send: Send, method: Method, path: string, body?: object): Promise<any> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, ...(body && { "content-type": "application/json" }) };
    for (;;) {
      const received = await send(method, path, headers, body && JSON.stringify(body)).catch((error: unknown) => ({
        status: 0,
        text: String(error),
      }));
      if (received.status === 503 && received.text.includes('"overloaded"')) {
        counts.busy++;
        await setTimeout(PERIOD_MS);
        continue;
      }
      counts[method]++;
      if (received.status === 200) return JSON.parse(received.text);
      failures.push(`${method} ${path}: ${received.status} ${received.text}`);
      return undefined;
    }
  }

  /** Returns the names of the secrets whose creation was acknowledged. */
  async function runClient(send: Send, { id, slug }: Team): Promise<readonly string[]> {
    const path = `/v2/teams/${id}`;
    const secrets: string[] = [];
    let name = "";
    let sendAt = performance.now();
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      if (turn % 4 === 0) {
        const wanted = `Name ${turn}`;
        if (await call(send, "PATCH", path, { name: wanted })) name = wanted;
      } else if (turn % 4 === 2) {
        const wanted = `SECRET_${turn}`;
        if (await call(send, "POST", `/v2/secrets?slug=${slug}`, { name: wanted, value: wanted })) secrets.push(wanted);
      } else {
        // By either process: what was acknowledged is seen by the next read.
        const team = await call(send, "GET", path);
        if (team && team.name !== name) failures.push(`GET ${path}: ${team.name} after ${name} was acknowledged`);
      }
      // What a slow response has delayed is not caught up with.
      const now = performance.now();
      sendAt = Math.max(sendAt + PERIOD_MS, now);
      await setTimeout(sendAt - now);
    }
    return secrets;
  }

  async function checkStored({ slug }: Team, acknowledged: readonly string[]): Promise<void> {
    const stored: string[] = [];
    for await (const { name } of direct.items("listSecrets", { query: { slug, limit: 100 } })) stored.push(name);
    // One that is acknowledged is stored once: a second request for its name would have been refused.
    if (!isDeepStrictEqual(stored.toReversed(), acknowledged)) failures.push(`${slug}: ${stored.length} are stored`);
  }

  await waitFor("the proxy to serve", async () => {
    const live = await sendHttp1("GET", "/health/live", {}).catch(() => undefined);
    return live?.status === 200 || undefined;
  });
  // A test that fails does not stop them.
  after(() => stopping.abort());
  const slugs = Array.from({ length: CLIENTS }, () => `team-${randomUUID()}`);
  const teams = await Promise.all(slugs.map((slug) => direct.call("createTeam", { body: { slug } })));
  const clients = teams.map((team, n) => runClient(n % 2 === 0 ? sendHttp1 : http2.send, team));
  return {
    counts: () => ({ ...counts, ...http2.counts }),
    async stop() {
      stopping.abort();
      const acknowledged = await Promise.all(clients);
      await Promise.all(teams.map((team, n) => checkStored(team, acknowledged[n]!)));
      return failures;
    },
  };
}
