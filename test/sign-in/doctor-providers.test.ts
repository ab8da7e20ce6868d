// What `reeve doctor` says of OpenID Connect providers, by a real one.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { examine } from "../../src/cli/bodies/doctor.ts";
import { openSession } from "./open-session.ts";
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

test("the list of providers that an account can connect is that of the file that was read last", async () => {
  const world = await startProviderWorld({ first: {} });
  const { app, settings, request } = world;
  const { session } = await openSession(world, await world.createUser());
  const listed = async () => {
    const { body } = await request("GET", "/v1/user/identities", { session });
    return (body.providers as { name: string }[]).map(({ name }) => name);
  };
  assert.deepEqual(await listed(), ["First"]);
  const file = settings.oidcFile as string;
  writeFileSync(file, readFileSync(file, "utf8").replace("name: First", "name: Renamed"));
  const [renewed] = app.renewedFiles.filter(({ what }) => what.includes("OpenID"));
  assert.deepEqual([await renewed?.renew(), await listed()], [true, ["Renamed"]]);
  assert.equal(await renewed?.renew(), false);
});
