// Exports and imports secrets: an empty team has all secrets of the other team after the move, here or on another instance.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { Body, TestApp } from "../harness/test-app.ts";
import { archived, archivedVersion, openArchive, sealSecrets, withoutId } from "./files.ts";
import { call, emptyTeam, exportTeam, folder, importTeam, listed, newFile, secretsOf } from "./world.ts";

const here = await startOwnApp();
const there = await startOwnApp();

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const text = fc.string({ unit: "binary", maxLength: 40 }).filter((value) => !value.includes("\0"));
const value = fc.oneof(
  bytes.map((raw) => ({ value: raw.toString("base64"), encoding: "base64" as const })),
  text.map((utf8) => ({ value: utf8, encoding: "utf8" as const })),
);
const tail = fc.stringMatching(/^[A-Za-z0-9_.-]{0,20}$/);
const step = fc.oneof(
  value.map((next) => ({ kind: "put" as const, next })),
  tail.map((to) => ({ kind: "rename" as const, to, keepAlias: true })),
  tail.map((to) => ({ kind: "rename" as const, to, keepAlias: false })),
  fc.constant({ kind: "restoreOldest" as const }),
  fc.constant({ kind: "dropAlias" as const }),
  fc.constant({ kind: "takeBack" as const }),
  fc.constant({ kind: "deleteAndRestore" as const }),
  fc.constant({ kind: "lock" as const }),
);
const settings = fc.record(
  {
    description: fc.option(text, { nil: null }),
    tags: fc.array(
      text.filter((tag) => tag.length > 0 && tag.length <= 64),
      { maxLength: 4 },
    ),
    maxVersions: fc.integer({ min: 1, max: 4 }),
    expiresAt: fc.option(fc.integer({ min: Date.UTC(2031, 0, 1), max: 8.64e15 }), { nil: null }),
    projectId: fc.stringMatching(/^[a-z]{1,12}$/),
    decryptable: fc.boolean(),
  },
  { requiredKeys: [] },
);
const plans = fc.array(fc.record({ tail, settings, value, steps: fc.array(step, { maxLength: 6 }) }), {
  minLength: 1,
  maxLength: 4,
});
type Plan = typeof plans extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

/** Creates a secret as planned; returns its last name, and the bytes of its newest value. */
async function carryOut(api: TestApp, team: string, plan: Plan): Promise<{ name: string; newest: Buffer }> {
  const at = (path: string) => `/v2/secrets${path}?teamId=${team}`;
  const bytesOf = ({ value: sent, encoding }: typeof plan.value) => Buffer.from(sent, encoding);
  const findName = async (secret: string, kind: string): Promise<string | undefined> => {
    const { names } = await call(api, "GET", at(`/${secret}/names`));
    return names.find((one: Body) => one.kind === kind)?.name;
  };
  let name = uniqueName("s") + plan.tail;
  const { uid } = await call(api, "POST", at(""), { name, ...plan.settings, ...plan.value });
  const values: Buffer[] = [bytesOf(plan.value)];
  for (const one of plan.steps) {
    if (one.kind === "put") {
      await call(api, "PUT", at(`/${uid}`), one.next);
      values.push(bytesOf(one.next));
    } else if (one.kind === "rename") {
      name = uniqueName("r") + one.to;
      await call(api, "PATCH", at(`/${uid}`), { name, keepAlias: one.keepAlias });
    } else if (one.kind === "lock") {
      await call(api, "PATCH", at(`/${uid}`), { decryptable: false });
    } else if (one.kind === "dropAlias") {
      const alias = await findName(uid, "alias");
      if (alias) await call(api, "DELETE", at(`/${uid}/aliases/${alias}`));
    } else if (one.kind === "takeBack") {
      name = (await findName(uid, "alias")) ?? (await findName(uid, "former")) ?? name;
      await call(api, "PATCH", at(`/${uid}`), { name, keepAlias: true });
    } else if (one.kind === "deleteAndRestore") {
      await call(api, "DELETE", at(`/${uid}`));
      await call(api, "POST", at(`/${uid}/restore`), {});
    } else {
      const { version } = (await call(api, "GET", at(`/${uid}/versions`))).versions.at(-1);
      await call(api, "POST", at(`/${uid}/versions/${version}/restore`));
      values.push(values[version - 1] as Buffer);
    }
  }
  return { name, newest: values.at(-1) as Buffer };
}

test("import(export(x)) is x, in another team and on another instance", async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const team = await emptyTeam(here);
      const made: { name: string; newest: Buffer }[] = [];
      for (const one of plan) made.push(await carryOut(here, team, one));
      const file = await exportTeam(here, team);
      const [header, ...lines] = await openArchive(file);
      assert.deepEqual([header.format, header.formatVersion, header.owner.id], ["reeve-secrets", 2, team]);
      assert.deepEqual(lines.at(-1), { end: true, count: plan.length });
      assert.deepEqual(
        lines.slice(0, -1).map(({ name, versions }) => [name, versions.at(-1).value]),
        made.map(({ name, newest }) => [name, newest.toString("base64")]),
      );

      const sibling = await emptyTeam(here);
      const abroad = await emptyTeam(there);
      assert.deepEqual(await importTeam(here, sibling, file), { imported: plan.length, skipped: [] });
      assert.deepEqual(await importTeam(there, abroad, file), { imported: plan.length, skipped: [] });
      assert.deepEqual(await secretsOf(await exportTeam(here, sibling)), await secretsOf(file));
      assert.deepEqual((await openArchive(await exportTeam(there, abroad))).slice(1), lines);

      const facts = (secret: Body) => ({ ...withoutId(secret), teamId: null });
      const original = (await listed(here, team)).map(facts);
      assert.deepEqual((await listed(here, sibling)).map(facts), original);
      assert.deepEqual((await listed(there, abroad)).map(facts), original);
      const revealable = lines.slice(0, -1).filter(({ decryptable }) => decryptable);
      for (const { name, versions } of revealable) {
        const response = await there.request("GET", `/v3/secrets/${name}?teamId=${abroad}&decrypt=true`);
        const { value: shown, encoding } = response.body;
        assert.deepEqual(Buffer.from(shown, encoding), Buffer.from(versions.at(-1).value, "base64"));
      }
    }),
    { numRuns: 12 },
  );
  for (const { settings: instance } of [here, there]) assert.equal((await verifyEvents(instance)).firstFault, null);
});

test("a hundred versions of the greatest size move as one line, one secret among others", async () => {
  const versions = Array.from({ length: 100 }, (_, at) => archivedVersion(at + 1, randomBytes(65_536)));
  const large = archived("large", { maxVersions: 100, versions });
  const secrets = [archived("before"), large, archived("after")];
  const file = newFile();
  await sealSecrets(file, secrets);
  const team = await emptyTeam(here);
  assert.deepEqual(await importTeam(here, team, file), { imported: 3, skipped: [] });
  const again = (await openArchive(await exportTeam(here, team))).slice(1, -1);
  assert.deepEqual(
    again.map(({ name }) => name),
    ["before", "large", "after"],
  );
  assert.ok(
    secrets.every((secret, at) => JSON.stringify(secret) === JSON.stringify(again[at])),
    "what came out is what went in, byte by byte",
  );
});

test("new versions follow imported ones whose clock was ahead", async () => {
  const team = await emptyTeam(here);
  const file = newFile();
  await sealSecrets(file, [archived("ahead", { createdAt: 8.64e12, updatedAt: 8.64e12 })]);
  await importTeam(here, team, file);
  for (const name of ["one", "two"]) await call(here, "POST", `/v2/secrets?teamId=${team}`, { name, value: "x" });
  const names: string[] = [];
  for (let until: number | null | undefined; until !== null;) {
    const cursor = until === undefined ? "" : `&until=${until}`;
    const page = await call(here, "GET", `/v2/secrets?teamId=${team}&limit=1${cursor}`);
    names.push(...page.secrets.map(({ name }: Body) => name));
    until = page.pagination.next;
  }
  assert.deepEqual(names, ["two", "one", "ahead"]);
});

test("the file has no plaintext, and only its owner can read it", async () => {
  const team = await emptyTeam(here);
  const planted = `planted-${randomBytes(16).toString("hex")}`;
  await call(here, "POST", `/v2/secrets?teamId=${team}`, {
    name: "planted_name",
    value: planted,
    description: planted,
  });
  const own = mkdtempSync(join(folder, "own-"));
  const file = join(own, "team.age");
  await exportTeam(here, team, { file });
  assert.deepEqual(readdirSync(own), ["team.age"]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const content = readFileSync(file);
  for (const trace of [
    planted,
    Buffer.from(planted).toString("base64").slice(0, 24),
    "planted_name",
    "reeve-secrets",
  ]) {
    assert.equal(content.includes(trace), false, trace);
  }
});
