// What it costs to read the values of an environment beside one value of a secret. Both record an event.
import { join } from "node:path";
import { POSTGRES, SQLITE, callRow } from "./calls.ts";
import { encodeRequest } from "./load.ts";
import type { ApiRequest } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import { BENCH_TOKEN, readBody, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { callScenario, runRounds } from "./scenarios.ts";
import { newSecretValue } from "./seed-secrets.ts";
import { atMost, finding, rowOf } from "./table.ts";
import type { Table } from "./table.ts";

const ENTRIES = 100;
/** Applications of one owner that start at once. */
const CALLERS = [1, 8] as const;
const GOAL = 3;
const [VALUES, REVEAL] = [`values of ${ENTRIES} entries`, "reveal secret"];
const READS: Readonly<Record<string, ApiRequest>> = {
  [VALUES]: { method: "GET", path: "/v1/environments/shop/production/values" },
  [REVEAL]: { method: "GET", path: "/v3/secrets/one?decrypt=true" },
};

const nameOf = (call: string, field: string, callers: number) =>
  `${callRow(call, field)}, ${callers === 1 ? "1 caller" : `${callers} callers`}`;

async function fill(server: ServerProcess): Promise<void> {
  const set = Object.fromEntries(
    Array.from({ length: ENTRIES }, (_, at) => [`VARIABLE_${at}`, { secretValue: newSecretValue() }]),
  );
  const calls: readonly ApiRequest[] = [
    { method: "PATCH", path: "/v1/environments/shop", body: { environments: { production: { set } } } },
    { method: "POST", path: "/v2/secrets", body: { name: "one", value: newSecretValue(), decryptable: true } },
  ];
  for (const call of calls) await readBody(server, BENCH_TOKEN, call);
}

export async function benchValues({ folder, keep }: Bench): Promise<Table[]> {
  const database = await keep(openBenchDatabase());
  const fields = [
    { name: SQLITE, server: await keep(startReeve(join(folder, "sqlite"))) },
    {
      name: POSTGRES,
      database,
      server: await keep(startReeve(join(folder, "postgres"), { REEVE_DATABASE_URL: database.url })),
    },
  ];
  for (const { server } of fields) await fill(server);
  const rows = await runRounds(
    fields.flatMap(({ name, server, database: beside }) =>
      CALLERS.flatMap((connections) =>
        Object.entries(READS).map(([call, request]) => {
          const bytes = encodeRequest(request, BENCH_TOKEN);
          const load = { servers: [server], database: beside, connections, isAwake: false };
          return callScenario(nameOf(call, name, connections), { ...load, request: () => bytes });
        }),
      ),
    ),
  );
  return [
    {
      title: "Values of an environment",
      unit: "requests/s",
      rows,
      findings: fields.flatMap(({ name }) =>
        CALLERS.flatMap((callers) => {
          const [values, reveal] = [VALUES, REVEAL].map((call) => rowOf(rows, nameOf(call, name, callers)));
          if (!values || !reveal) throw new Error("no rows");
          const label = `${nameOf(VALUES, name, callers)} / ${REVEAL}`;
          return [
            finding(`${label}, time`, reveal.median / values.median, atMost(GOAL)),
            finding(`${label}, CPU`, values.cpuUs / reveal.cpuUs, atMost(GOAL)),
          ];
        }),
      ),
    },
  ];
}
