import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, uniqueName } from "../../../../test/harness/test-app.ts";
import { openVault } from "../../../../test/resources/secrets.ts";

const api = await startTestApp();
const { createTeam, createUser, readEvents, request } = api;

/** A team, and a way to store values in it. */
async function openTeam() {
  const owner = await createUser();
  const team = await createTeam(owner);
  const of = `?teamId=${team.id}`;
  const set = (values: readonly object[], more: object = {}) =>
    request("PATCH", `/v1/secrets/values${of}`, { token: owner.token, body: { values, ...more } });
  const reveal = async (name: string) =>
    (await request("GET", `/v3/secrets/${name}${of}&decrypt=true`, { token: owner.token })).body.value;
  const names = async () => {
    const { body } = await request("GET", `/v2/secrets${of}`, { token: owner.token });
    return body.secrets.map(({ name }: { name: string }) => name).toSorted();
  };
  return { owner, team, set, reveal, names };
}

test("values of several secrets are stored at once: new names become secrets, others get a version", async () => {
  const { team, set, reveal } = await openTeam();
  await set([{ name: "A", value: "a1" }], { decryptable: true });
  const { status, body, text } = await set(
    [
      { name: "b", value: Buffer.from("b1").toString("base64"), encoding: "base64", expectedVersion: 0 },
      // No random id has a space in it.
      { name: "a", value: "a 2", expectedVersion: 1 },
    ],
    { decryptable: true },
  );
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.secrets.map(({ name, version }: { name: string; version: number }) => [name, version]),
    [
      ["b", 1],
      ["A", 2],
    ],
  );
  assert.equal(text.includes("a 2"), false, "no value is returned");
  assert.deepEqual([await reveal("A"), await reveal("b")], ["a 2", Buffer.from("b1").toString("base64")]);
  const types = (await readEvents(team.id)).map(({ type }) => type).filter((type) => type.startsWith("secret-"));
  assert.deepEqual(types.slice(0, 3), ["secret-add", "secret-add", "secret-value-update"]);
});

test("when one is refused, none is stored, and the refusal names it", async () => {
  const { set, names, reveal } = await openTeam();
  await set([{ name: "KEPT", value: "as it was" }], { decryptable: true });
  const good = [
    { name: "KEPT", value: "changed" },
    { name: "NEW", value: "new" },
  ];
  for (const [bad, status, code, field] of [
    [{ name: "not a name", value: "x" }, 400, "invalid_secret_name", "values[2].name"],
    [{ name: "sec_1", value: "x" }, 400, "invalid_secret_name", "values[2].name"],
    [{ name: "new", value: "x" }, 400, "bad_request", "values[2].name"],
    [{ name: "LONG", value: "x".repeat(65_537) }, 400, "invalid_secret_value", "values[2].value"],
    [{ name: "B64", value: "%", encoding: "base64" }, 400, "invalid_secret_value", "values[2].value"],
    [{ name: "GONE", value: "x", expectedVersion: 1 }, 409, "version_conflict", "values[2].expectedVersion"],
  ] as const) {
    const refused = await set([...good, bad]);
    assert.deepEqual([refused.status, refused.body.error.code], [status, code], refused.text);
    assert.ok(refused.body.error.message.startsWith(`${field}: `), refused.body.error.message);
  }
  const conflict = await set([{ name: "KEPT", value: "late", expectedVersion: 0 }]);
  assert.deepEqual([conflict.status, conflict.body.error.currentVersion], [409, 1]);
  assert.deepEqual([await names(), await reveal("KEPT")], [["KEPT"], "as it was"]);
});

test("a former name is not written to, and a hundred values are the most", async () => {
  const { owner, team, set, names } = await openTeam();
  await set([{ name: "BEFORE", value: "x" }]);
  await request("PATCH", `/v2/secrets/BEFORE?teamId=${team.id}`, {
    token: owner.token,
    body: { name: "AFTER", keepAlias: true },
  });
  const refused = await set([{ name: "BEFORE", value: "y" }]);
  assert.deepEqual([refused.body.error.code, refused.body.error.name], ["secret_is_alias", "AFTER"]);
  const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `MANY_${at}`, value: "x" }));
  assert.equal((await set(many(101))).status, 400);
  assert.equal((await set([])).status, 400);
  assert.equal((await set(many(100))).status, 200);
  assert.equal((await names()).length, 20, "a page");
});

test("of two who store values of the same names at once, with versions expected, one does", async () => {
  const { set, reveal } = await openTeam();
  const of = (value: string) => [
    { name: "ONE", value, expectedVersion: 0 },
    { name: "TWO", value, expectedVersion: 0 },
  ];
  const twins = await Promise.all(["first", "second"].map((value) => set(of(value), { decryptable: true })));
  assert.deepEqual(twins.map(({ status }) => status).toSorted(), [200, 409]);
  assert.equal(await reveal("ONE"), await reveal("TWO"));
});

test("an account's own secrets work alike, and others see nothing of them", async () => {
  const { token } = await createUser();
  const name = uniqueName("OWN");
  const body = { values: [{ name, value: "x" }] };
  assert.equal((await request("PATCH", "/v1/secrets/values", { token, body })).status, 200);
  const stranger = await createUser();
  const vault = openVault(api, stranger.token);
  assert.equal((await vault.reveal(name)).status, 404);
});
