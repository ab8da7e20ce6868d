// The quiet tenant, in a thread of its own: a read, a change and a read on a new connection, again and again.
import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { Client } from "undici";
import type { QuietPlan, QuietResult } from "./quiet-tenant.ts";

const { url, key, teamId, rounds, everyMs } = workerData as QuietPlan;
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
const path = `/v2/teams/${teamId}`;
const failures: string[] = [];
const ms: QuietResult["ms"] = { read: [], change: [], newConnection: [] };

async function ask(client: Client, times: number[], body?: string): Promise<void> {
  const startedAt = performance.now();
  try {
    const response = await client.request({
      method: body === undefined ? "GET" : "PATCH",
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) failures.push(`${response.statusCode} ${text.slice(0, 200)}`);
  } catch (error) {
    failures.push(String(error));
  }
  times.push(performance.now() - startedAt);
}

const kept = new Client(url);
for (let round = 0; round < rounds; round++) {
  // oxlint-disable-next-line no-await-in-loop -- one request at a time
  await ask(kept, ms.read);
  // oxlint-disable-next-line no-await-in-loop -- one request at a time
  await ask(kept, ms.change, JSON.stringify({ name: `Quiet ${round}` }));
  const fresh = new Client(url);
  // oxlint-disable-next-line no-await-in-loop -- one request at a time
  await ask(fresh, ms.newConnection);
  // oxlint-disable-next-line no-await-in-loop -- one connection at a time
  await fresh.destroy();
  // oxlint-disable-next-line no-await-in-loop -- a quiet tenant rests
  await setTimeout(everyMs);
}
parentPort?.postMessage({ ms, failures } satisfies QuietResult);
