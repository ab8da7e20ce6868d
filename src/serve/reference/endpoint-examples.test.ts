// The examples of the documentation are calls that the endpoints' schemas accept, and name functions of the SDK that work.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compileCheck, compileInput } from "../../platform/operations/validation.ts";
import { parseQueryString } from "../../platform/operations/query-string.ts";
import { operations } from "../composition/registry.ts";
import { pathExample } from "./endpoint-examples.ts";
import { SDK_FUNCTIONS } from "./sdk-functions.ts";

const SUPPORTED = join(import.meta.dirname, "../../../SUPPORTED.md");
const ENDPOINTS = [...operations.values()];

test("every example is accepted by the schemas of its endpoint", () => {
  for (const { id, endpoint } of ENDPOINTS) {
    const { aliases = [], body, example, isBodyOptional, path, query } = endpoint;
    const checks = compileInput(endpoint);
    const names = [path, ...aliases].flatMap((url) => [...url.matchAll(/:(\w+)/g)].map(([, name = ""]) => name));
    const values = Object.fromEntries(names.map((name) => [name, pathExample(name, { id, endpoint })]));
    const text = new URLSearchParams(
      Object.entries(example?.query ?? {}).map(([name, value]) => [name, String(value)]),
    ).toString();
    assert.doesNotThrow(() => checks.params(values), `${id}: path`);
    assert.doesNotThrow(() => checks.query(parseQueryString(text)), `${id}: query`);
    assert.equal(query === undefined && example?.query !== undefined, false, `${id}: takes no query`);
    if (!body) assert.equal(example?.body, undefined, `${id}: takes no body`);
    else if (example?.body === undefined) assert.equal(isBodyOptional, true, `${id}: give its body an example`);
    // Of some bodies the handler reports all errors itself: the schema is checked nevertheless.
    else assert.doesNotThrow(() => compileCheck("body", body, "bad_request")(example.body), `${id}: body`);
  }
});

test("the functions of the SDK are those that work in its newest release", () => {
  const rows = readFileSync(SUPPORTED, "utf8").matchAll(/^\| `(\w+\.\w+)` +\|(.*)\|$/gm);
  const working = [...rows].flatMap(([, name = "", cells = ""]) =>
    cells.split("|")[3]?.trim() === "yes" ? [name] : [],
  );
  assert.ok(working.length > 30, "they are read from SUPPORTED.md");
  const named = Object.values(SDK_FUNCTIONS).map(({ name }) => name);
  assert.deepEqual(named.toSorted(), working.toSorted());
  for (const id of Object.keys(SDK_FUNCTIONS)) assert.ok(operations.has(id), id);
});
