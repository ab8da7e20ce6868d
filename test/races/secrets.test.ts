// Ten concurrent writers of one team's secrets: no update is lost, no name is used twice, and none disappears.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { openVault, outcome } from "../resources/secrets.ts";
import type { Vault } from "../resources/secrets.ts";
import { patiently } from "../harness/wait-for.ts";

const client = await startOwnApp();
const { createUser } = client;

const WRITERS = 10;
const STEPS = 5;
const TOTAL = WRITERS * STEPS;

async function ownVault() {
  return openVault({ ...client, request: patiently(client.request) }, (await createUser()).token);
}

const atOnce = <T>(count: number, work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => work(at)));

const outcomes = (responses: readonly TestResponse[]) => responses.map(outcome).toSorted();
const oneOf = (refusal: string) => [...Array.from({ length: WRITERS - 1 }, () => refusal), "ok"].toSorted();

/** Increments the number in the secret, and retries until no other writer interferes. */
async function increment(vault: Vault, way: "expectedVersion" | "If-Match"): Promise<void> {
  for (;;) {
    const read = await vault.reveal("counter");
    const value = String(Number(read.body.value) + 1);
    const written =
      way === "If-Match"
        ? await vault.put("counter", { value }, { "if-match": read.headers["etag"] as string })
        : await vault.put("counter", { value, expectedVersion: read.body.version });
    if (written.status === 200) return;
    assert.equal(outcome(written), way === "If-Match" ? "revision_mismatch" : "version_conflict");
  }
}

for (const way of ["expectedVersion", "If-Match"] as const) {
  test(`ten writers who compare and set a value by ${way} lose no update`, async () => {
    const vault = await ownVault();
    await vault.add("counter", { value: "0" });
    await atOnce(WRITERS, async () => {
      for (let step = 0; step < STEPS; step++) await increment(vault, way);
    });
    const { body } = await vault.reveal("counter");
    assert.deepEqual([body.value, body.version], [String(TOTAL), TOTAL + 1]);
  });
}

test("ten writers who compare and set metadata lose no tag, while others set the value", async () => {
  const vault = await ownVault();
  await vault.add("tagged");
  const addTag = async (tag: string) => {
    for (;;) {
      const { tags, metadataVersion } = (await vault.read("tagged")).body;
      const changed = await vault.change("tagged", { tags: [...tags, tag], expectedVersion: metadataVersion });
      if (changed.status === 200) return;
      assert.equal(outcome(changed), "version_conflict");
    }
  };
  await Promise.all([
    atOnce(WRITERS, (at) => addTag(`tag${at}`)),
    atOnce(WRITERS, (at) => vault.put("tagged", { value: `${at}` })),
  ]);
  const { tags, metadataVersion, version } = (await vault.read("tagged")).body;
  assert.deepEqual(tags.toSorted(), Array.from({ length: WRITERS }, (_, at) => `tag${at}`).toSorted());
  assert.deepEqual([metadataVersion, version], [WRITERS + 1, WRITERS + 1]);
});

test("ten concurrent values are ten versions", async () => {
  const vault = await ownVault();
  await vault.add("busy", { maxVersions: 100 });
  const responses = await atOnce(WRITERS, (at) => vault.put("busy", { value: `${at}` }));
  assert.deepEqual(
    responses.map(({ body }) => body.version).toSorted((a, b) => a - b),
    Array.from({ length: WRITERS }, (_, at) => at + 2),
  );
  const values = await atOnce(WRITERS, (at) =>
    vault.call("GET", `/busy/versions/${at + 2}`, { query: "decrypt=true" }),
  );
  assert.equal(new Set(values.map(({ body }) => body.value)).size, WRITERS);
});

test("ten concurrent creations of one name, in any case: one succeeds", async () => {
  const vault = await ownVault();
  const responses = await atOnce(WRITERS, (at) => vault.create({ name: at % 2 ? "Prize" : "PRIZE", value: "x" }));
  assert.deepEqual(outcomes(responses), oneOf("secret_name_taken"));
  assert.equal((await vault.listNames()).length, 1);
});

test("ten concurrent renames to one name: one succeeds, and nine secrets keep their names", async () => {
  const vault = await ownVault();
  for (let at = 0; at < WRITERS; at++) await vault.add(`runner${at}`);
  const responses = await atOnce(WRITERS, (at) =>
    vault.change(`runner${at}`, { name: "prize", keepAlias: at % 2 === 0 }),
  );
  assert.deepEqual(outcomes(responses), oneOf("secret_name_taken"));
  const names = await vault.listNames();
  assert.equal(names.filter((name) => name === "prize").length, 1);
  assert.equal(names.filter((name) => name.startsWith("runner")).length, WRITERS - 1);
});

test("ten concurrent restores of one name: one succeeds", async () => {
  const vault = await ownVault();
  const ids: string[] = [];
  for (let at = 0; at < WRITERS; at++) {
    ids.push((await vault.add("phoenix")).uid);
    await vault.remove("phoenix");
  }
  assert.deepEqual(outcomes(await Promise.all(ids.map((id) => vault.restore(id)))), oneOf("secret_name_taken"));
  assert.deepEqual(await vault.listNames(), ["phoenix"]);
});

test("many concurrent swaps leave every name with one secret", async () => {
  const vault = await ownVault();
  const names = ["a", "b", "c", "d", "e"];
  const ids: string[] = [];
  for (const name of names) ids.push((await vault.add(name)).uid);
  const pick = (at: number) => names[at % names.length] as string;
  const responses = await atOnce(TOTAL, (at) => {
    const [one, other] = [pick(at), pick(at * 2 + 1)];
    if (one === other) return vault.change(one, { name: one.toUpperCase() });
    const swap = [
      { from: one, to: other },
      { from: other, to: one },
    ];
    return vault.renameAll(swap);
  });
  assert.deepEqual(new Set(responses.map(outcome)), new Set(["ok"]));
  assert.deepEqual((await vault.listNames()).map((name) => name.toLowerCase()).toSorted(), names);
  const holders = await Promise.all(names.map(async (name) => (await vault.read(name)).body.uid));
  assert.deepEqual(holders.toSorted(), ids.toSorted());
});
