// Any valid configuration is accepted, is returned as it was sent, and changes nothing when its response is put again.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { storableConfiguration } from "../../../test/firewall/arbitraries.ts";
import { CRS_OFF, openFirewall, saidBy } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const RUNS = 120;
const TIME_LIMIT_MS = 30_000;

const client = await startTestApp();

/** The switches of a response without their stamps. */
function withoutStamps({ managedRules, ...rest }: Body): Body {
  const plain = (one: Body) => {
    const { updatedAt: _updatedAt, userId: _userId, username: _username, ...said } = one;
    return said;
  };
  if (!managedRules) return rest;
  return {
    ...rest,
    managedRules: Object.fromEntries(Object.entries(managedRules).map(([set, one]) => [set, plain(one)])),
  };
}

/** The empty action of a rate limit is stored as null. */
function asKept(configuration: object): object {
  const text = JSON.stringify(configuration);
  return JSON.parse(text, (key, value: unknown) => (key === "action" && value === "" ? null : value)) as object;
}

test("a GET after a PUT returns what was sent, and a PUT after a GET changes nothing", async () => {
  const firewall = openFirewall(client, (await client.createUser()).token);
  await fc.assert(
    fc.asyncProperty(storableConfiguration, async (made) => {
      const configuration = structuredClone(made);
      const put = await firewall.put(configuration);
      assert.equal(put.status, 200, put.text.slice(0, 2_000));
      const read = await firewall.read();
      assert.deepEqual(read, put.body.active);
      assert.deepEqual(withoutStamps(saidBy(read)), { ...asKept(configuration), crs: configuration.crs ?? CRS_OFF });
      const again = await firewall.put(read);
      assert.equal(again.status, 200, again.text.slice(0, 2_000));
      assert.deepEqual(again.body.active, read);
      assert.deepEqual((await firewall.put({ ...configuration, managedRules: {} })).body.active.version, read.version);
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: TIME_LIMIT_MS },
  );
});
