// Two processes of the last release on one PostgreSQL behind nginx, HAProxy and Caddy by the files of deploy/. Both are upgraded in turn to the
// present code, and then to a release with another schema, while clients read and change: no request fails, and what was acknowledged is
// stored once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startProgram } from "./front-world.ts";
import { startTraffic } from "./restart-traffic.ts";
import { openPair } from "./restart-world.ts";
import type { Which } from "./restart-world.ts";

/** What each writes when a check of a process has another result. nginx has no checks. */
const NOTICES = {
  nginx: null,
  haproxy: (which: Which) => ({
    down: `Server reeve/reeve-${which + 1} is DOWN, reason: Layer7 wrong status, code: 503`,
    up: `Server reeve/reeve-${which + 1} is UP`,
  }),
  caddy: (_which: Which, address: string) => ({
    down: `"status_code":503,"host":"${address}"`,
    up: `"msg":"host is up","host":"${address}"`,
  }),
};

test("two processes are upgraded in turn from the last release behind each proxy, and no request fails", async (t) => {
  const pair = await openPair();
  const fronts = await Promise.all(
    Object.entries(NOTICES).map(async ([name, noticesOf]) => {
      const [https, http] = [await freePort(), await freePort()];
      const [upstream = "", second = ""] = pair.addresses;
      const places = { https, http, upstream, second, silence: "60s" };
      const { output } = startProgram(name as keyof typeof NOTICES, "two", places);
      return { name, output, noticesOf, traffic: await startTraffic(`https://localhost:${https}`, pair) };
    }),
  );

  /** Waits until the proxies with checks have noticed that a process stops, or is there again. */
  async function untilNoticed(which: Which, what: "down" | "up", since: readonly number[]): Promise<void> {
    for (const [at, { name, output, noticesOf }] of fronts.entries()) {
      const notice = noticesOf?.(which, pair.addresses[which] as string)[what] ?? "";
      await waitFor(`${name} to notice ${what}`, () => output().includes(notice, since[at]));
    }
  }

  for (const release of ["present", "newer"] as const) {
    for (const which of [0, 1] as const) {
      const before = fronts.map(({ output }) => output().length);
      await pair.restart(which, () => untilNoticed(which, "down", before), release);
      await untilNoticed(which, "up", before);
      // The old process goes on beside the new one.
      if (release === "newer" && which === 0)
        assert.match(await pair.ready(1), /^\{"status":"ready","checks":\{"schema":/);
    }
  }
  for (const { name, traffic } of fronts) {
    const { counts, failures, seconds } = await traffic.stop();
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    t.diagnostic(
      `${name}: ${JSON.stringify(counts)}, ${Math.round(total / seconds)} a second, ${failures.length} failed`,
    );
    assert.deepEqual(failures.slice(0, 5), [], name);
  }
});
