// Reading the active firewall configuration beside raw node:http, for configurations of two sizes.
import { join } from "node:path";
import { encodeRequest } from "./load.ts";
import { BENCH_TOKEN, RAW_TOKEN, readBody, startRaw, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { fullReadLoad, runRounds } from "./scenarios.ts";
import type { Scenario } from "./scenarios.ts";
import { atLeast, rateFinding } from "./table.ts";
import type { Table } from "./table.ts";

const SIZES = [2, 100] as const;

const ruleAt = (index: number) => ({
  name: `Rule ${index}`,
  description: "Keeps a part of the site to those who belong there",
  active: true,
  conditionGroup: [
    {
      conditions: [
        { type: "path", op: "pre", neg: false, key: "", value: `/area-${index}/` },
        { type: "geo_country", op: "inc", neg: true, key: "", value: ["DE", "FR"] },
      ],
    },
  ],
  action: { mitigate: { action: "deny", rateLimit: null, redirect: null, actionDuration: "5m" } },
});

export async function benchFirewallReads({ folder, keep }: Bench): Promise<Table[]> {
  const server = await keep(startReeve(join(folder, "firewall")));
  const pathOf = (size: number) => `/v1/firewalls/active?projectId=rules-${size}`;
  const bodies: Record<string, string> = {};
  for (const size of SIZES) {
    const rules = Array.from({ length: size }, (_, index) => ruleAt(index));
    await readBody(server, BENCH_TOKEN, {
      method: "PUT",
      path: `/v1/firewalls?projectId=rules-${size}`,
      body: { firewallEnabled: true, rules },
    });
    bodies[pathOf(size)] = await readBody(server, BENCH_TOKEN, { method: "GET", path: pathOf(size) });
  }
  const raw = await keep(startRaw(bodies));
  const scenarios = SIZES.flatMap((size): Scenario[] => {
    const request = { method: "GET", path: pathOf(size) };
    const [rawBytes, bytes] = [encodeRequest(request, RAW_TOKEN), encodeRequest(request, BENCH_TOKEN)];
    return [
      fullReadLoad(`raw: ${size} rules`, raw, () => rawBytes),
      fullReadLoad(`GET active, ${size} rules`, server, () => bytes),
    ];
  });
  const rows = await runRounds(scenarios);
  const findings = SIZES.map((size) =>
    rateFinding(
      rows,
      `GET active, ${size} rules / raw`,
      `GET active, ${size} rules`,
      `raw: ${size} rules`,
      atLeast(0.5),
    ),
  );
  return [{ title: "Reading the active firewall configuration", unit: "requests/s", rows, findings }];
}
