// What `reeve doctor` says of OpenID Connect providers, by a real one.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { examine } from "../../src/cli/bodies/doctor.ts";
import { startProviderWorld } from "./provider-world.ts";

test("doctor says of each provider whether it responds, and what is wrong with their file", async () => {
  const { settings, issuers } = await startProviderWorld({ first: {}, second: {} });
  const find = async (check: string) => (await examine(settings)).find((finding) => finding.check === check);
  assert.deepEqual(await find("provider first"), {
    check: "provider first",
    status: "ok",
    detail: `${issuers.get("first")?.url} responds`,
  });
  await issuers.get("second")?.close();
  const lost = await find("provider second");
  assert.equal(lost?.status, "fault");
  assert.match(lost?.detail ?? "", /^nobody can sign in with it: fetch failed: ./);
  assert.equal((await find("provider first"))?.status, "ok");
  writeFileSync(settings.oidcFile as string, "providers: [{ id: first, nme: x }]");
  const broken = await find("providers");
  assert.equal(broken?.status, "fault");
  assert.match(broken?.detail ?? "", /unknown key; did you mean name\?/);
  const others = await examine({ ...settings, oidcFile: null });
  assert.ok(others.length > 3 && others.every(({ check }) => !check.startsWith("provider")));
});
