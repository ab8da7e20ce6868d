// The gate beside the least that could stand in its place: a server that answers 204, the bare proxy library, an application without it.
import { spawnSync } from "node:child_process";
import type { Bench, ServerProcess } from "../processes.ts";
import { callScenario, rotate, runRounds } from "../scenarios.ts";
import type { Scenario } from "../scenarios.ts";
import { atLeast, atMost, finding, rateFinding, rowOf } from "../table.ts";
import type { Finding, Row, Table } from "../table.ts";
import { benchBodies } from "./bodies.ts";
import { benchDecisions } from "./decisions.ts";
import { sendAtPace } from "./pages.ts";
import { benchSolving } from "./solving.ts";
import { CHALLENGED_PATH, HOST, encode, startControlPlane, startGate, startNginx, startServer } from "./processes.ts";

const CONNECTIONS = 32;
const PATHS = Array.from({ length: 64 }, (_, at) => `/shop/items/${at}?q=red+shoes&page=${at}`);
const CHECK_PATH = "/.well-known/reeve/check?compat=nginx";
const PAGES_PER_SECOND = 10_000;

const browsing = () => rotate(PATHS.map((path) => encode(path)));
const asking = () =>
  rotate(
    PATHS.map((path) =>
      encode(CHECK_PATH, { "X-Original-URI": path, "X-Original-Method": "GET", "X-Forwarded-Proto": "https" }),
    ),
  );

function scenario(name: string, server: ServerProcess, request: () => Buffer, connections = CONNECTIONS): Scenario {
  return callScenario(name, { servers: [server], connections, isAwake: true, request });
}

const NAMES = {
  bareCheck: "bare server that answers 204",
  check: "gate: check",
  nginxBare: "nginx, asking the bare server",
  nginx: "nginx, asking the gate",
  bareProxy: "bare proxy library",
  proxy: "gate: proxy",
  plain: "application alone",
  middleware: "application with reeve/gate",
} as const;

function findingsOf(rows: readonly Row[], hasNginx: boolean): Finding[] {
  const added = rowOf(rows, NAMES.middleware).cpuUs - rowOf(rows, NAMES.plain).cpuUs;
  return [
    rateFinding(rows, "check / bare server", NAMES.check, NAMES.bareCheck, atLeast(0.7)),
    ...(hasNginx
      ? [rateFinding(rows, "nginx: asking the gate / the bare server", NAMES.nginx, NAMES.nginxBare, atLeast(0.9))]
      : []),
    rateFinding(rows, "proxy / bare proxy library", NAMES.proxy, NAMES.bareProxy, atLeast(0.7)),
    finding("middleware adds", added, atMost(15), "us of CPU"),
  ];
}

/** Requests that are let through, one after the other on a few connections, alone and beside pages of challenges. */
async function benchPages(proxy: ServerProcess): Promise<Table> {
  const alone = scenario("allowed", proxy, browsing(), 2);
  const rates: number[] = [];
  const beside: Scenario = {
    name: `allowed, beside ${PAGES_PER_SECOND} challenges a second`,
    async measure(durationMs) {
      const page = encode(CHALLENGED_PATH, { "Sec-Fetch-Mode": "navigate" });
      const pace = await sendAtPace(proxy.port, page, PAGES_PER_SECOND);
      try {
        return await alone.measure(durationMs);
      } finally {
        rates.push(await pace.stop());
      }
    },
  };
  const rows = await runRounds([alone, beside]);
  const [first, second] = rows as [Row, Row];
  const rate = rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? Number.NaN;
  return {
    title: "Gate: challenges beside allowed requests",
    unit: "requests/s",
    rows,
    findings: [
      finding("allowed requests beside challenges, p50", second.p50Ms / first.p50Ms, atMost(1.2)),
      finding("challenges answered", rate, atLeast(PAGES_PER_SECOND * 0.98), "a second"),
    ],
    notes: ["The client that sends both shares the two cores with the gate and the application."],
  };
}

export async function benchGate(bench: Bench): Promise<Table[]> {
  const { folder, keep } = bench;
  const decisions = await benchDecisions();
  const hasNginx = spawnSync("which", ["nginx"]).status === 0;
  const access = await startControlPlane(bench);
  const application = await keep(startServer("application"));
  const upstream = `http://127.0.0.1:${application.port}`;
  const bareCheck = await keep(startServer("check"));
  const check = await keep(startGate(folder, access));
  const proxy = await keep(startGate(folder, access, upstream));
  const bareProxy = await keep(startServer("proxy", upstream));
  const middleware = await keep(startServer("middleware", JSON.stringify(access)));
  const scenarios = [
    scenario(NAMES.bareCheck, bareCheck, asking()),
    scenario(NAMES.check, check, asking()),
    scenario(NAMES.bareProxy, bareProxy, browsing()),
    scenario(NAMES.proxy, proxy, browsing()),
    scenario(NAMES.plain, application, browsing()),
    scenario(NAMES.middleware, middleware, browsing()),
  ];
  if (hasNginx) {
    scenarios.push(
      scenario(NAMES.nginxBare, await keep(startNginx(folder, application, bareCheck)), browsing()),
      scenario(NAMES.nginx, await keep(startNginx(folder, application, check)), browsing()),
    );
  }
  const rows = await runRounds(scenarios, 4);
  const ways: Table = {
    title: "Gate: the ways in front",
    unit: "requests/s",
    rows,
    findings: findingsOf(rows, hasNginx),
    notes: [
      `A hundred rules, requests of a browser to ${HOST}.`,
      ...(hasNginx ? [] : ["nginx is not installed, so it was not measured."]),
    ],
  };
  return [...decisions, await benchBodies(), ways, await benchPages(proxy), await benchSolving(bench)];
}
