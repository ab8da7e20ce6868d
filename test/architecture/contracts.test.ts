import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CONTRACTS } from "../../src/contracts.ts";
import { operations } from "../../src/serve/composition/registry.ts";

const SRC = join(import.meta.dirname, "../../src");

test("every contract is listed in contracts.ts, and has its service in the registry", async () => {
  const files = globSync("*/**/*contract.ts", { cwd: SRC });
  const modules = await Promise.all(files.map((file) => import(join(SRC, file)) as Promise<Record<string, object>>));
  const defined = modules.flatMap((module) =>
    Object.entries(module).filter(([name]) => /^(?!define).*Contract$/.test(name)),
  );
  assert.ok(defined.length >= CONTRACTS.length);
  const listed: ReadonlySet<object> = new Set(CONTRACTS);
  assert.deepEqual(
    defined.filter(([, contract]) => !listed.has(contract)).map(([name]) => name),
    [],
    "not listed",
  );
  const endpoints = CONTRACTS.flatMap((contract) => Object.keys(contract));
  assert.deepEqual(
    endpoints.filter((id) => !operations.has(id)),
    [],
    "without a service",
  );
});
