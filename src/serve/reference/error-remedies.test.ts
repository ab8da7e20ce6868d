// Each error code has a remedy on the page to which `docs` of an error leads, and what it names exists.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACTS } from "../../contracts.ts";
import { ERROR_STATUS } from "../../platform/kernel/errors.ts";
import { templatePath } from "../../platform/operations/endpoint-details.ts";
import { SETTINGS } from "../config/settings.ts";
import { ERROR_REMEDIES } from "./error-remedies.ts";
import { renderReference } from "./reference-page.ts";

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

test("the page of the reference has a row with a remedy for each code, by the anchor of `docs`", async () => {
  const page = await renderReference([], "0.0.0");
  for (const code of Object.keys(ERROR_STATUS)) {
    const row = page.split(`id="error-${code}"`)[1]?.split("</tr>")[0] ?? "";
    const [, , does = ""] = row.split("<td>").slice(1);
    const words = ERROR_REMEDIES[code as keyof typeof ERROR_REMEDIES].split(/[`'&<>"]/)[0] ?? "";
    assert.ok(does.includes(words), code);
  }
});
