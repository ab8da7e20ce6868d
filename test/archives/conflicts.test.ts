// What the two commands refuse and record, and how an import treats existing names.
import assert from "node:assert/strict";
import { lstatSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { importSecrets } from "../../src/serve/backup/secret-archive-import.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { archived, identity, sealSecrets } from "./files.ts";
import { call, emptyTeam, exportTeam, folder, importTeam, listed, newFile, secretsOf } from "./world.ts";

const here = await startOwnApp();

test("an export is recorded before it reads, also one that fails; each imported secret is an event", async () => {
  const team = await emptyTeam(here);
  const user = await here.createUser();
  for (const name of ["one", "two"]) await call(here, "POST", `/v2/secrets?teamId=${team}`, { name, value: name });
  const file = await exportTeam(here, team);
  const exported = (await here.readEvents(team)).at(-1);
  assert.equal(exported?.type, "secrets-export");
  assert.deepEqual(exported?.payload, { count: 2 });
  assert.equal(exported?.principalId, "system");

  const request = {
    owner: { user: user.username },
    file,
    key: { identities: [identity] },
    onConflict: "fail" as const,
  };
  await importSecrets(
    here.settings,
    request,
    () => undefined,
    () => here.clock.now,
  );
  const added = (await here.readEvents(user.id)).filter(({ type }) => type === "secret-add");
  const shown = await here.request("GET", "/v2/secrets", { token: user.token });
  assert.deepEqual(
    added.map(({ principalId, payload }) => [principalId, payload]),
    shown.body.secrets.toReversed().map(({ name, uid }: Body) => [user.id, { name, uid, imported: true }]),
  );
  assert.doesNotMatch(JSON.stringify(added), /b25l|dHdv/);

  const before = (await here.readEvents(team)).length;
  for (const tampering of ["update secret_versions set wrapped_key = ciphertext", "delete from secret_versions"]) {
    await here.withStore(({ transaction }) => transaction((tx) => tx.exec(`${tampering} where owner_id = '${team}'`)));
    const refused = exportTeam(here, team, { file: join(folder, "unreadable") });
    await assert.rejects(refused, {
      code: "secret_unreadable",
      message: /^version 1 of the secret one does not open: /,
    });
  }
  const events = (await here.readEvents(team)).slice(before).map(({ type }) => type);
  assert.deepEqual(events, ["secrets-export", "secret-unreadable", "secrets-export", "secret-unreadable"]);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith("unreadable")),
    [],
  );
});

test("existing names refuse the whole file, or skip their secrets", async () => {
  const team = await emptyTeam(here);
  const at = `/v2/secrets?teamId=${team}`;
  await call(here, "POST", at, { name: "Taken", value: "kept" });
  await call(here, "POST", at, { name: "moved", value: "kept" });
  await call(here, "PATCH", `/v2/secrets/moved?teamId=${team}`, { name: "away", keepAlias: true });
  const alias = { name: "TAKEN", kind: "alias", begunAt: 1, endedAt: 2 };
  const current = { name: "with_alias", kind: "current", begunAt: 2, endedAt: null };
  const file = newFile();
  await sealSecrets(file, [archived("free"), archived("MOVED"), archived("with_alias", { names: [alias, current] })]);
  const events = (await here.readEvents(team)).length;
  const message = /^2 of the 3 secrets have names that are taken: MOVED, TAKEN; nothing was imported/;
  await assert.rejects(importTeam(here, team, file), { code: "secret_name_taken", message });
  assert.equal((await here.readEvents(team)).length, events);
  const outcome = await importTeam(here, team, file, { onConflict: "skip" });
  assert.deepEqual(outcome, { imported: 1, skipped: ["MOVED", "with_alias"] });
  const names = (await listed(here, team)).map(({ name }) => name);
  assert.deepEqual(names, ["free", "away", "Taken"]);
});

test("an interrupted import continues where it stopped, and says where that was", async () => {
  const team = await emptyTeam(here);
  const other = await emptyTeam(here);
  const names = Array.from({ length: 60 }, (_, at) => `s${String(at).padStart(2, "0")}`);
  const file = newFile();
  await sealSecrets(
    file,
    names.map((name) => archived(name)),
  );
  await call(here, "POST", `/v2/secrets?teamId=${team}`, { name: "holder", value: "x" });
  // Another caller creates a secret of the second batch while the first one is written.
  const take = `insert into secret_names
    select secret_id, position + 1, owner_id, 's55', 's55', 'alias', 1, begun_at, begun_at
    from secret_names where owner_id = '${team}' and name = 'holder'`;
  await here.withStore(async (store) => {
    const lines =
      store.engine === "sqlite"
        ? [`create trigger take after insert on secrets when new.name = 's10' begin ${take}; end`]
        : [
            `create function take() returns trigger language plpgsql as $$ begin ${take}; return null; end $$`,
            "create trigger take after insert on secrets for each row when (new.name = 's10') execute function take()",
          ];
    for (const line of lines) await store.transaction((tx) => tx.exec(line));
  });
  const message = /^the name s55 was taken while the import ran; 50 of 60 secrets are imported; /;
  await assert.rejects(importTeam(here, team, file), { code: "secret_name_taken", message });
  await here.withStore(({ engine, transaction }) =>
    transaction((tx) => tx.exec(engine === "sqlite" ? "drop trigger take" : "drop trigger take on secrets")),
  );
  assert.equal((await listed(here, team)).length, 51);
  await call(here, "DELETE", `/v2/secrets/holder/aliases/s55?teamId=${team}`);
  const outcome = await importTeam(here, team, file, { onConflict: "skip" });
  assert.deepEqual(outcome, { imported: 10, skipped: names.slice(0, 50) });
  await call(here, "DELETE", `/v2/secrets/holder?teamId=${team}`);
  assert.deepEqual(await importTeam(here, other, await exportTeam(here, team)), { imported: 60, skipped: [] });
  assert.deepEqual(
    (await listed(here, other)).map(({ name }) => name),
    names.toReversed(),
  );
});

test("an export refuses an empty team, an existing file and an unknown team, and records nothing", async () => {
  const team = await emptyTeam(here);
  const events = async () => (await here.readEvents(team)).length;
  const before = await events();
  await assert.rejects(exportTeam(here, team), { code: "not_found", message: "there are no secrets to export" });
  await assert.rejects(exportTeam(here, "nowhere"), { code: "not_found", message: 'there is no team "nowhere"' });
  await call(here, "POST", `/v2/secrets?teamId=${team}`, { name: "one", value: "x" });
  const file = newFile();
  writeFileSync(file, "mine");
  await assert.rejects(exportTeam(here, team, { file }), { code: "file_exists" });
  await assert.rejects(exportTeam(here, team, { lock: { recipients: [identity] } }), { code: "bad_recipient" });
  await assert.rejects(exportTeam(here, team, { file: join(folder, "no", "folder") }), { code: "file_unusable" });
  assert.equal(readFileSync(file, "utf8"), "mine");
  assert.equal(await events(), before + 1);
  await exportTeam(here, team, { file, force: true });
  assert.equal((await secretsOf(file)).length, 1);
});

test("an export replaces only files, and no device, also behind a link", async () => {
  const team = await emptyTeam(here);
  await call(here, "POST", `/v2/secrets?teamId=${team}`, { name: "kept", value: "x" });
  const file = newFile();
  symlinkSync("/dev/null", file);
  for (const force of [false, true]) {
    await assert.rejects(exportTeam(here, team, { file, force }), {
      message: /cannot write .*: it is no regular file$/,
    });
  }
  assert.ok(lstatSync(file).isSymbolicLink());
});
