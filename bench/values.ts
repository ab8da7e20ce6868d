// What it costs to read the values of an environment beside one value of a secret. Both record an event. Reading
// other entries each time shows what the first read costs, which no earlier one can help: more sets than a process caches.
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
const OMITTED = 3;
const SETS = 2_500;
const [VALUES, FIRST, REVEAL] = [
  `values of ${ENTRIES} entries`,
  `first values of ${ENTRIES - OMITTED} entries`,
  "reveal secret",
];
const PATH = "/v1/environments/shop/production/values";
const NAMES = Array.from({ length: ENTRIES }, (_, at) => `VARIABLE_${at}`);
/** All but three, others each time: some 12 MB of values, of which a process caches 8. */
const CHOICES = Array.from({ length: SETS }, (_, at) => {
  const omitted = [at % ENTRIES, (at * 7 + 1) % ENTRIES, (Math.floor(at / ENTRIES) * 13 + at + 50) % ENTRIES];
  return NAMES.filter((_name, position) => !omitted.includes(position));
});
const READS: Readonly<Record<string, readonly string[]>> = {
  [VALUES]: [PATH],
  [FIRST]: CHOICES.map((names) => `${PATH}?names=${names.join(",")}`),
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
          return [VALUES, FIRST].flatMap((call) => {
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
