import { appendFileSync } from "node:fs";
import fc from "fast-check";
import { test } from "node:test";
import { KINDS } from "./kinds.ts";
import { requestsOf } from "./kinds/kind.ts";
import { describeDisagreement as describe, startLaboratory } from "./laboratory.ts";
import type { Disagreement } from "./laboratory.ts";
import type { RawRequest } from "./raw-request.ts";

const lab = await startLaboratory();
const ONLY = process.env["KIND"];
const RUNS = Number(process.env["RUNS"] ?? 200);
const OUT = process.env["OUT"] ?? "/tmp/findings.txt";
const signature = ({ application, reading }: Disagreement) =>
  `${application} ${reading.kind} ${reading.name.length > 10 ? "?" : reading.name}`;
const printed = new Set<string>();

async function minimise(d: Disagreement): Promise<Disagreement> {
  let best = d;
  const still = async (request: RawRequest) =>
    (await lab.findDisagreements(request, [d.application])).find(
      (x) => x.application === d.application && x.reading.kind === d.reading.kind && x.reading.name === d.reading.name,
    );
  for (const section of ["query", "head", "body"] as const) {
    for (let size = Math.max(1, best.request[section].length >> 1); size >= 1; size >>= 1) {
      for (let at = 0; at + size <= best.request[section].length;) {
        const text = best.request[section];
        const smaller = await still({ ...best.request, [section]: text.slice(0, at) + text.slice(at + size) });
        if (smaller) best = smaller;
        else at += size;
      }
    }
  }
  return best;
}

for (const kind of KINDS) {
  if (ONLY && kind.name !== ONLY) continue;
  test(kind.name, async () => {
    const started = performance.now();
    const seen = new Map<string, number>();
    const before = lab.counts.requests;
    const rb = lab.counts.readings;
    let distinct = 0;
    const requests = [
      ...kind.seeds,
      ...fc.sample(requestsOf(kind), { seed: Number(process.env["SEED"] ?? 1), numRuns: RUNS }),
    ];
    for (const request of requests) {
      for (const d of await lab.findDisagreements(request)) {
        const key = signature(d);
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        if (times > 4) continue;
        const small = await minimise(d);
        const one = small.application + JSON.stringify(small.request);
        if (printed.has(one)) continue;
        printed.add(one);
        distinct++;
        appendFileSync(OUT, `[${new Date().toISOString().slice(11, 16)}] ${kind.name}: ${describe(small)}\n`);
      }
    }
    const ms = performance.now() - started;
    const n = lab.counts.requests - before;
    console.log(
      kind.name,
      requests.length,
      "cases",
      n,
      "requests",
      lab.counts.readings - rb,
      "readings",
      Math.round((n / ms) * 1000),
      "/s",
      "disagreements",
      [...seen.values()].reduce((a, b) => a + b, 0),
      distinct,
      "printed",
    );
  });
}
