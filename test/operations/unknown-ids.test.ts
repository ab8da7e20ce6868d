// A filter by an id that is not there is an error, or finds nothing for a reason: docs/api.md says which, and every filter is in its table.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { PROJECT_LIMIT } from "../../src/platform/kernel/project.ts";
import { callOf } from "../../tools/api-forms.ts";
import { readTable } from "../harness/recorded-table.ts";
import { OPERATIONS, call, exampleOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();

const IS_ID = /^(?:id|usedIn|excludeProject)$|Ids?$/;
/** The owner, which every endpoint takes. */
const OWNER = "teamId";
const SPOKEN = /`([^`]+)`/g;

const UNKNOWN: Readonly<Record<string, string>> = {
  webhookId: `account_hook_${"0".repeat(24)}`,
  principalId: "0".repeat(24),
  userId: `key_${"0".repeat(24)}`,
  id: `sec_${"0".repeat(24)}`,
  customEnvironmentId: `env_${"0".repeat(24)}`,
};
/** Whose 404 names no field: the filter is an environment, as another one is in a path. */
const WITHOUT_FIELD = "listVariables";
const OF_NO_FORM = "a b/c/d";

const spoken = (cell = "") => [...cell.matchAll(SPOKEN)].map(([, name = ""]) => name);
const rows = readTable("api.md", "filters").flatMap(([filters, lists, unknown = "", wrong = ""]) =>
  spoken(lists).flatMap((list) => spoken(filters).map((filter) => ({ list, filter, unknown, wrong }))),
);
const statusOf = (cell: string) => Number(/^\d{3}/.exec(cell)?.[0] ?? 200);

const filters = OPERATIONS.filter(({ endpoint }) => !isMutation(endpoint)).flatMap((operation) => {
  const names = Object.keys(operation.endpoint.query?.properties ?? {}).filter((name) => IS_ID.test(name));
  // Which project's settings are read: unknown-project.test.ts.
  const isScope = (name: string) => name === "projectId" && operation.endpoint.limits === PROJECT_LIMIT;
  return names.filter((name) => name !== OWNER && !isScope(name)).map((name) => ({ operation, name }));
});

test("docs/api.md says of every filter by an id what one that is not there does", () => {
  const found = filters.map(({ operation, name }) => `${callOf(operation.endpoint)} ${name}`);
  assert.deepEqual(rows.map(({ list, filter }) => `${list} ${filter}`).toSorted(), found.toSorted());
});

for (const { operation, name } of filters) {
  const row = rows.find(({ list, filter }) => list === callOf(operation.endpoint) && filter === name);
  test(`${operation.id}: an id of nothing, and a text that is no id, in ${name}`, async () => {
    const { query = {}, ...example } = await exampleOf(operation, world);
    const ask = async (id: string) =>
      await call(operation, world, { ...example, query: { teamId: query["teamId"] ?? world.team.id, [name]: id } });
    for (const [id, cell = ""] of [
      [UNKNOWN[name] ?? "no-such-one", row?.unknown],
      [OF_NO_FORM, row?.wrong],
    ] as const) {
      // A live stream has no end.
      if (operation.endpoint.isLive && statusOf(cell) === 200) continue;
      const { status, body, text } = await ask(id);
      assert.equal(status, statusOf(cell), text);
      if (status === 200) continue;
      assert.equal(body.error.field, operation.id === WITHOUT_FIELD ? undefined : `query.${name}`, text);
      if (status === 404) assert.match(body.error.message, / not found/);
    }
  });
}
