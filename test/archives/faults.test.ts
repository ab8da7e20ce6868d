// Files that an import must refuse: each is refused as a whole before anything is written, with a reason that names line and
// field and quotes nothing.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { generateX25519Identity } from "age-encryption";
import { startOwnApp } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { archived, archivedVersion, identity, sealArchive, sealSecrets } from "./files.ts";
import { call, emptyTeam, exportTeam, folder, importTeam, newFile } from "./world.ts";

const here = await startOwnApp();
const team = await emptyTeam(here);
const events = (await here.readEvents(team)).length;

const PLANTED = "planted-value-that-no-message-may-quote";

interface Refusal {
  readonly code?: string;
  readonly message: RegExp;
}

async function refuses(file: string, { code, message }: Refusal, more: Body = {}): Promise<void> {
  const error = await importTeam(here, team, file, more).then(
    () => assert.fail("the import was not refused"),
    (reason: unknown) => reason as Error & { code: string },
  );
  assert.match(error.message, message);
  if (code !== undefined) assert.equal(error.code, code);
  assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /planted|cGxhbnRl/i);
  assert.deepEqual(await here.query(`select id from secrets where owner_id = '${team}'`), []);
  assert.equal((await here.readEvents(team)).length, events);
}

const good = () => archived("good");
const version = (changes: Body) => archivedVersion(1, Buffer.from(PLANTED), changes);
const name = (changes: Body) => ({ name: "bad", kind: "current", begunAt: 1, endedAt: null, ...changes });
const alias = (text: string) => name({ name: text, kind: "alias", endedAt: 2 });

/** By error: the second of three secrets, on line 3. */
const BAD_SECRETS: Readonly<Record<string, readonly [Body, RegExp]>> = {
  "a name that is none": [{ name: "a b", names: [name({ name: "a b" })] }, /^line 3: secret\.names\[0\]\.name: /],
  "a name like an id": [{ name: "sec_1", names: [name({ name: "sec_1" })] }, /^line 3: secret\.names\[0\]\.name: /],
  "no names": [{ names: [] }, /^line 3: secret\.names: expected at least 1 item$/],
  "another current name": [{ names: [name({ name: "other" })] }, /^line 3: secret\.names\[0\]\.name: .*secret\.name/],
  "two current names": [{ names: [name({}), name({})] }, /^line 3: secret\.names\[1\]\.name: expected no name twice/],
  "no current name": [{ names: [alias("bad")] }, /^line 3: secret\.names: expected one current name/],
  "an end of the current name": [
    { names: [name({ endedAt: 2 })] },
    /^line 3: secret\.names\[0\]\.endedAt: expected null/,
  ],
  "an alias without end": [
    { names: [{ ...alias("x"), endedAt: null }, name({})] },
    /^line 3: secret\.names\[0\]\.endedAt/,
  ],
  "an alias twice": [
    { names: [alias("x"), alias("X"), name({})] },
    /^line 3: secret\.names\[1\]\.name: expected no name/,
  ],
  "too many aliases": [
    { names: [...Array.from({ length: 21 }, (_, at) => alias(`x${at}`)), name({})] },
    /^line 3: secret\.names: expected at most 20 aliases/,
  ],
  "a name of another line": [
    { names: [alias("GOOD"), name({})] },
    /^line 3: secret\.names: the name GOOD is on line 2/,
  ],
  "no versions": [{ versions: [] }, /^line 3: secret\.versions: expected at least 1 item$/],
  "more versions than are kept": [
    { maxVersions: 1, versions: [version({}), version({ version: 2 })] },
    /^line 3: secret\.versions: expected at most 1/,
  ],
  "versions out of order": [
    { versions: [version({ version: 2 }), version({ version: 2 })] },
    /^line 3: secret\.versions\[1\]\.version: expected a number above 2/,
  ],
  "restored from the future": [
    { versions: [version({ restoredFrom: 1 })] },
    /^line 3: secret\.versions\[0\]\.restoredFrom: expected an earlier version/,
  ],
  "a value that is no base64": [
    { versions: [version({ value: PLANTED })] },
    /^line 3: secret\.versions\[0\]\.value: expected base64/,
  ],
  "a value that is too long": [
    { versions: [archivedVersion(1, Buffer.alloc(65_537))] },
    /^line 3: secret\.versions\[0\]\.value: expected at most 65536 bytes, got 65537/,
  ],
  "text that is none": [
    { versions: [archivedVersion(1, Buffer.from([0xff]), { encoding: "utf8" })] },
    /^line 3: secret\.versions\[0\]\.value: expected UTF-8/,
  ],
  "a value of another type": [
    { versions: [version({ value: { planted: PLANTED } })] },
    /^line 3: secret\.versions\[0\]\.value: expected a string, got an object/,
  ],
  "an id of something else": [{ uid: "team_1" }, /^line 3: secret\.uid: expected `sec_` and 24 letters or digits$/],
  "a version that no other can follow": [
    { versions: [version({ version: Number.MAX_SAFE_INTEGER })] },
    /^line 3: secret\.versions\[0\]\.version: expected a number <= /,
  ],
  "a count of changes that no other can follow": [
    { metadataVersion: Number.MAX_SAFE_INTEGER },
    /^line 3: secret\.metadataVersion: expected a number <= /,
  ],
  "a time beyond all lists": [{ createdAt: 8.64e15 }, /^line 3: secret\.createdAt: expected a number <= /],
  "an unknown key": [{ planet: PLANTED }, /^line 3: secret\.planet: unknown key/],
  "a missing key": [{ tags: undefined }, /^line 3: secret\.tags: is required/],
  "text that PostgreSQL cannot store": [
    { description: "a\0b" },
    /^line 3: secret\.description: expected text without NUL/,
  ],
};

for (const [what, [changes, message]] of Object.entries(BAD_SECRETS)) {
  test(`a secret with ${what} is refused`, async () => {
    const file = newFile();
    const bad = archived("bad", { versions: [version({})], ...changes });
    await sealSecrets(file, [good(), bad, archived("last")]);
    await refuses(file, { message });
  });
}

const HEADER = {
  format: "reeve-secrets",
  formatVersion: 1,
  exportedAt: 0,
  owner: { kind: "team", id: "x", name: "x" },
};

test("an incomplete archive, or one of another format, is refused", async () => {
  const none = { code: "archive_format", message: /^the file holds no secrets that Reeve exported$/ };
  const cutOff = { code: "archive_damaged", message: /^the file is cut off/ };
  const end = { end: true, count: 1 };
  const cases: readonly (readonly [string | readonly unknown[], Refusal])[] = [
    [PLANTED, none],
    [[{ format: "other-secrets", formatVersion: 1 }], none],
    [[null], none],
    [[{ ...HEADER, formatVersion: 3, more: PLANTED }], { code: "archive_version", message: /version 3.*upgrade/ }],
    [[{ ...HEADER, more: 1 }, end], { code: "bad_request", message: /^line 1: header\.more: unknown key/ }],
    ["", none],
    [[HEADER], cutOff],
    [[HEADER, good()], cutOff],
    [[HEADER, end], cutOff],
    [[HEADER, good(), good(), end], { code: "bad_request", message: /^line 3: .* is on line 2 too/ }],
    [[HEADER, good(), { ...end, count: 2 }], cutOff],
    [[HEADER, good(), end, archived("late")], { code: "bad_request", message: /^line 4: expected nothing behind/ }],
    [
      `${JSON.stringify(HEADER)}\n{"value":"${PLANTED}`,
      { code: "invalid_json", message: /^line 2: secret: expected JSON/ },
    ],
    [`${JSON.stringify(HEADER)}\n\n`, { code: "invalid_json", message: /^line 2: secret: expected JSON/ }],
    [
      `${JSON.stringify(HEADER)}\n${" ".repeat(33 * 1024 * 1024)}`,
      { code: "bad_request", message: /^line 2: expected at most 33554432 bytes/ },
    ],
  ];
  for (const [content, refusal] of cases) {
    const file = newFile();
    await sealArchive(file, content);
    await refuses(file, refusal);
  }
});

test("a file that was truncated or changed anywhere is refused, and so is a wrong key", async () => {
  const other = await emptyTeam(here);
  const value = `${PLANTED}${"x".repeat(60_000)}`;
  for (const one of ["a", "b", "c"]) await call(here, "POST", `/v2/secrets?teamId=${other}`, { name: one, value });
  const whole = readFileSync(await exportTeam(here, other));
  const file = newFile();
  const damaged = { code: "archive_damaged", message: /is damaged: it was cut off or changed$/ };
  const locked = { code: "archive_locked", message: /opens .*, or the beginning of the file is damaged$/ };
  const body = whole.indexOf("\n---") + 50;
  // A chunk has 64 KiB of content and a tag of 16 bytes: truncation between two chunks is detected too.
  const chunk = 65_536 + 16;
  const start = whole.indexOf(0x0a, whole.indexOf("\n---") + 1) + 1 + 16;
  for (const length of [whole.length - 1, start + chunk, start + chunk + 1, body, start]) {
    writeFileSync(file, whole.subarray(0, length));
    await refuses(file, length <= start ? { ...damaged, message: /damaged|opens/ } : damaged);
  }
  for (const at of [start, start + chunk, whole.length - 1]) {
    const changed = Buffer.from(whole);
    changed[at] = (changed[at] as number) ^ 1;
    writeFileSync(file, changed);
    await refuses(file, damaged);
  }
  writeFileSync(file, whole.subarray(0, 60));
  await refuses(file, locked);
  writeFileSync(file, whole);
  await refuses(file, locked, { key: { identities: [await generateX25519Identity()] } });
  await refuses(
    file,
    { code: "bad_identity", message: /number 2 of its identities/ },
    {
      key: { identities: [identity, `AGE-SECRET-KEY-1${PLANTED}`] },
    },
  );
  writeFileSync(file, PLANTED);
  await refuses(file, { code: "archive_format", message: /is no file that age encrypted$/ });
  await refuses(folder, { code: "file_unusable", message: /it is a folder$/ });
  await refuses(newFile(), { code: "file_unusable", message: /no such file/ });
  await assert.rejects(importTeam(here, "nowhere", file), { code: "not_found" });
});
