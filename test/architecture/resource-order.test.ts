// The order of the resources, held against the linter: every import that it forbids is planted once, and every import that it
// allows.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { RESOURCE_ORDER } from "./import-boundaries.ts";
import { dynamic, lint, type, value } from "./lint-tree.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

test("the order names every resource once", () => {
  const folders = globSync("src/resources/*/", { cwd: root }).map((path) => basename(path));
  assert.deepEqual(RESOURCE_ORDER.toSorted(), folders.toSorted());
});

test("the linter refuses every import of a resource that comes later, and lets those of earlier ones pass", () => {
  for (const write of [value, type, dynamic]) {
    const upwards: string[] = [];
    const files: Record<string, string> = {};
    RESOURCE_ORDER.forEach((from, rank) => {
      RESOURCE_ORDER.forEach((to, other) => {
        if (from === to) return;
        const name = `src/resources/${from}/to-${to}.ts`;
        files[name] = write(`../${to}/thing.ts`);
        if (other > rank) upwards.push(`${name}: reeve(import-boundaries)`);
      });
    });
    assert.deepEqual([...lint(files)].toSorted(), upwards.toSorted());
  }
});

test("only the resource webhooks imports the queue of deliveries", () => {
  const others = RESOURCE_ORDER.filter((name) => name !== "webhooks");
  const files = Object.fromEntries(
    RESOURCE_ORDER.map((from) => [`src/resources/${from}/plant.ts`, type("../../delivery/queue/queue.ts")]),
  );
  assert.deepEqual(
    [...lint(files)].toSorted(),
    others.map((from) => `src/resources/${from}/plant.ts: reeve(import-boundaries)`).toSorted(),
  );
});
