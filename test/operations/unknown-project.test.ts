// Missing is not the same as empty: a read of a project that is not there says so, as of a mistyped name. Exceptions are written down.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { OPERATIONS, call, exampleOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();
const UNKNOWN = "no-such-project";

/** What such a read says instead, by the reason. */
const EXCEPTIONS = {
  "existing clients read the variables and settings of a project before they store the first one":
    "listVariables listCustomEnvironments getProject getAttackMode listBypasses listFirewallConfigs " +
    "generateFirewallRule listTrafficActions getAttackStatus listAlertGroups",
  "what is in force for a project that has not begun": "getAutomaticAttackMode listBypassRules",
  "existing clients filter a list by it": "listSecrets listWebhooks",
};
const EXEMPT = new Set(Object.values(EXCEPTIONS).flatMap((ids) => ids.split(" ")));

for (const operation of OPERATIONS) {
  const { id, endpoint } = operation;
  if (isMutation(endpoint)) continue;
  const inPath = ["project", "idOrName"].find((name) => name in (endpoint.params?.properties ?? {}));
  if (inPath === undefined && !("projectId" in (endpoint.query?.properties ?? {}))) continue;
  test(`${id}: a project that is not there is not found`, async () => {
    const { params = {}, query = {}, ...example } = await exampleOf(operation, world);
    const asked =
      inPath === undefined
        ? { params, query: { ...query, projectId: UNKNOWN } }
        : { params: { ...params, [inPath]: UNKNOWN }, query };
    const { status, body, text } = await call(operation, world, { ...example, ...asked });
    assert.equal(status, EXEMPT.has(id) ? 200 : 404, text);
    // The path names it before anything else.
    if (inPath === "project") assert.match(body.error.message, /^Project not found: .*got "no-such-project"/);
  });
}
