// Two processes of the last release on one PostgreSQL behind nginx, HAProxy and Caddy by the files of deploy/. Both are upgraded in turn to the
// present code, and then to a release with another schema, by the steps of docs/scaling.md, while clients read and change: no request fails,
// and what was acknowledged is stored once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../harness/free-port.ts";
import { startProgram } from "./front-world.ts";
import { startTraffic } from "./restart-traffic.ts";
import type { Counts } from "./restart-traffic.ts";
import { openPair } from "./restart-world.ts";

const FRONTS = ["nginx", "haproxy", "caddy"] as const;
/** After a process is ready and before the next one stops: step 3 of docs/scaling.md. */
const BETWEEN_MS = 2_000;
/** Of each method, through each proxy and during each restart. A machine with nothing else to do sends fifteen times as many and more. */
const LEAST = 20;

test("two processes are upgraded in turn from the last release behind each proxy, and no request fails", async (t) => {
  const pair = await openPair();
  const [upstream = "", second = ""] = pair.addresses;
  const fronts = await Promise.all(
    FRONTS.map(async (name) => {
      const [https, http] = [await freePort(), await freePort()];
      // So that nginx ends a connection of HTTP/2 many times.
      startProgram(name, "two", { https, http, upstream, second, silence: "60s", requests: 100 });
      return { name, traffic: await startTraffic(`https://localhost:${https}`, pair) };
    }),
  );

  for (const release of ["present", "newer"] as const) {
    for (const which of [0, 1] as const) {
      const before = fronts.map(({ traffic }) => traffic.counts());
      const startedAt = performance.now();
      await pair.restart(which, release);
      await setTimeout(BETWEEN_MS);
      const seconds = (performance.now() - startedAt) / 1_000;
      for (const [at, { name, traffic }] of fronts.entries()) {
        const counts = traffic.counts();
        for (const key of Object.keys(counts) as (keyof Counts)[]) counts[key] -= before[at]![key];
        const { GET, PATCH, POST } = counts;
        const what = `process ${which} becomes ${release}, ${name}: ${JSON.stringify(counts)} in ${seconds.toFixed(1)} s`;
        t.diagnostic(`${what}, ${Math.round((GET + PATCH + POST) / seconds)} a second`);
        assert.ok(Math.min(GET, PATCH, POST) >= LEAST, what);
      }
      // The old process goes on beside the new one.
      if (release === "newer" && which === 0)
        assert.match(await pair.ready(1), /^\{"status":"ready","checks":\{"schema":/);
    }
  }
  for (const { name, traffic } of fronts) {
    const failures = await traffic.stop();
    t.diagnostic(`${name}: ${JSON.stringify(traffic.counts())}, ${failures.length} failed`);
    assert.deepEqual(failures.slice(0, 5), [], name);
    assert.equal(traffic.counts().goaways > 0, name === "nginx", name);
  }
});
