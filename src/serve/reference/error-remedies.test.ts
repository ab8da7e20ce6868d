// Each error code has a remedy, and what it names exists.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACTS } from "../../contracts.ts";
import { templatePath } from "../../platform/operations/endpoint-details.ts";
import { SETTINGS } from "../config/settings.ts";
import { ERROR_REMEDIES } from "./error-remedies.ts";

const CALLS = new Set(
  CONTRACTS.flatMap((contract) =>
    Object.values(contract).flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((one) => `${method} ${templatePath(one)}`),
    ),
  ),
);
const VARIABLES = new Set(Object.values(SETTINGS).map(({ env }) => env));

for (const [code, remedy] of Object.entries(ERROR_REMEDIES)) {
  test(`${code} has a remedy of calls and settings that exist`, () => {
    assert.match(remedy, /^[A-Z][^]{12,}\.$/);
    for (const [, call = ""] of remedy.matchAll(/`([A-Z]+ \/[^`?]*)`/g)) assert.ok(CALLS.has(call), call);
    for (const [variable] of remedy.matchAll(/REEVE_\w+/g)) assert.ok(VARIABLES.has(variable), variable);
  });
}
