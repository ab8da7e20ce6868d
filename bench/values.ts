// What it costs to read the values of an environment beside one value of a secret. Both record an event. Reading
// other entries each time shows what it costs where nothing that an earlier read left can help.
import { join } from "node:path";
import { POSTGRES, SQLITE, callRow } from "./calls.ts";
import { encodeRequest } from "./load.ts";
import type { ApiRequest } from "./load.ts";
import { openBenchDatabase } from "./postgres.ts";
import { BENCH_TOKEN, readBody, startReeve } from "./processes.ts";
import type { Bench, ServerProcess } from "./processes.ts";
import { callScenario, rotate, runRounds } from "./scenarios.ts";
import { newSecretValue } from "./seed-secrets.ts";
import { atMost, finding, rowOf } from "./table.ts";
import type { Table } from "./table.ts";

const ENTRIES = 100;
/** Applications of one owner that start at once. */
const CALLERS = [1, 8] as const;
const GOAL = 3;
const [VALUES, OTHERS, REVEAL] = [
  `values of ${ENTRIES} entries`,
  `values of ${ENTRIES - 1} entries, others each time`,
  "reveal secret",
];
const PATH = "/v1/environments/shop/production/values";
const NAMES = Array.from({ length: ENTRIES }, (_, at) => `VARIABLE_${at}`);
/** All but one, another one each time. */
const CHOICES = NAMES.map((one) => NAMES.filter((name) => name !== one));
const READS: Readonly<Record<string, readonly string[]>> = {
  [VALUES]: [PATH],
  [OTHERS]: CHOICES.map((names) => `${PATH}?names=${names.join(",")}`),
  [REVEAL]: ["/v3/secrets/one?decrypt=true"],
};

const nameOf = (call: string, field: string, callers: number) =>
  `${callRow(call, field)}, ${callers === 1 ? "1 caller" : `${callers} callers`}`;

async function fill(server: ServerProcess): Promise<void> {
  const set = Object.fromEntries(NAMES.map((name) => [name, { secretValue: newSecretValue() }]));
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
        Object.entries(READS).map(([call, paths]) => {
          const request = rotate(paths.map((path) => encodeRequest({ method: "GET", path }, BENCH_TOKEN)));
          const load = { servers: [server], database: beside, connections, isAwake: false };
          return callScenario(nameOf(call, name, connections), { ...load, request });
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
          const reveal = rowOf(rows, nameOf(REVEAL, name, callers));
          return [VALUES, OTHERS].flatMap((call) => {
            const values = rowOf(rows, nameOf(call, name, callers));
            const label = `${nameOf(call, name, callers)} / ${REVEAL}`;
            return [
              finding(`${label}, time`, reveal.median / values.median, atMost(GOAL)),
              finding(`${label}, CPU`, values.cpuUs / reveal.cpuUs, atMost(GOAL)),
            ];
          });
        }),
      ),
    },
  ];
}
