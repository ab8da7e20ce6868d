// Files that a restore must refuse: each is refused with a reason that quotes nothing of it, and changes nothing.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue } from "node:sqlite";
import { test } from "node:test";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { readSchemaVersion } from "../../src/platform/store/migrations/migrate.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { backUpTo, emptyStore, exportTo, newFile, restore, verify } from "./world.ts";

const PLANTED = "planted";
const api = await startOwnApp();
const owner = await api.createUser(PLANTED);
await api.createTeam(owner);
const archive = await exportTo(api.settings);
const lines = readFileSync(archive.file, "utf8").split("\n").slice(0, -1);
const settings = await emptyStore(api);

function assertNothingLeft(): void {
  if (ENGINE === "sqlite") {
    assert.ok(!existsSync(sqliteFile(settings)));
    assert.deepEqual(readdirSync(settings.dataDir), []);
  }
}

async function refuses(file: string, code: string, message: RegExp): Promise<void> {
  const error = await restore(settings, file).then(
    () => assert.fail("it was restored"),
    (reason: unknown) => reason as Error & { code?: string },
  );
  assert.match(error.message, message);
  assert.doesNotMatch(error.message, new RegExp(PLANTED));
  assert.equal(error.code, code);
  assertNothingLeft();
}

function fileOf(content: readonly string[] | Buffer): string {
  const file = newFile();
  writeFileSync(file, Buffer.isBuffer(content) ? content : content.map((line) => `${line}\n`).join(""));
  return file;
}

const at = (table: string) => lines.findIndex((line) => line.startsWith(`{"table":"${table}"`));
const users = at("users");
const changed = (index: number, change: (line: Body) => Body) =>
  lines.with(index, JSON.stringify(change(JSON.parse(lines[index] as string))));
const header = (changes: Body) => changed(0, (line) => ({ ...line, ...changes }));
const user = (column: number, value: unknown) => changed(users + 1, (row: unknown[]) => row.with(column, value));

/** With a valid hash, as after a deliberate change. */
const sealed = (content: readonly string[]) => {
  const inside = content.slice(1, -1).map((line) => `${line}\n`);
  const end: Body = JSON.parse(content.at(-1) as string);
  return [...content.slice(0, -1), JSON.stringify({ ...end, sha256: hash("sha256", inside.join("")) })];
};

/** By error. */
const ARCHIVES: Readonly<Record<string, readonly [content: readonly string[], code: string, message: RegExp]>> = {
  nothing: [[], "archive_format", /neither an archive nor a database/],
  "something else": [["hello"], "archive_format", /neither an archive nor a database/],
  "another archive": [header({ format: "reeve-secrets" }), "archive_format", /neither an archive nor a database/],
  "a newer format": [header({ formatVersion: 2 }), "archive_version", /format version 2.*upgrade/],
  "a newer schema": [header({ schemaVersion: 999 }), "archive_version", /schema version 999.*upgrade/],
  "no schema": [header({ schemaVersion: "5" }), "archive_damaged", /line 1: expected a schemaVersion/],
  "another schema": [header({ schemaVersion: 1 }), "archive_damaged", /line 2: expected the table/],
  "no end": [lines.slice(0, -1), "archive_damaged", /cut off/],
  "half a line": [[...lines.slice(0, -2), "[1,"], "archive_damaged", /expected the end|expected the table/],
  "an early end": [[...lines.slice(0, 3), lines.at(-1) as string], "archive_damaged", /expected the table/],
  "more behind the end": [[...lines, "[]"], "archive_damaged", /behind the end/],
  "a line too few": [lines.toSpliced(users + 1, 1), "archive_damaged", /its end counts \d+ rows|does not fit/],
  "another value": [user(1, "x@example.com"), "archive_damaged", /do not fit the hash/],
  "two rows exchanged": [
    lines.with(users + 1, lines[users + 2] as string).with(users + 2, lines[users + 1] as string),
    "archive_damaged",
    /do not fit the hash/,
  ],
  "a row twice": [
    lines.toSpliced(users + 1, 0, lines[users + 1] as string),
    "archive_damaged",
    /a row of \w+ does not fit/,
  ],
  "a row of nobody's": [
    sealed(changed(at("access_tokens") + 1, (row: unknown[]) => row.with(1, "user_nobody"))),
    "archive_damaged",
    /does not fit|refers to one of users/,
  ],
  "a value too few": [
    changed(users + 1, (row: unknown[]) => row.slice(1)),
    "archive_damaged",
    /expected 15 values of users/,
  ],
  "a number for a text": [user(1, 5), "archive_damaged", /line \d+: expected text or null as users\.email/],
  "a text for a number": [user(8, "1"), "archive_damaged", /expected integer or null as users\.is_admin/],
  "a number beyond all": [user(8, 2 ** 53), "archive_damaged", /expected integer or null as users\.is_admin/],
  "no value for what needs one": [user(1, null), "archive_damaged", /a row of users does not fit/],
  "another column": [
    changed(users, (line) => ({ ...line, columns: line.columns.toReversed() })),
    "archive_damaged",
    /expected the table users with its columns/,
  ],
  "a table too few": [lines.toSpliced(at("mails"), 1), "archive_damaged", /expected the table mails/],
  "a table too many": [lines.toSpliced(-1, 0, lines[users] as string), "archive_damaged", /line \d+: expected the end/],
  "rows before a table": [lines.toSpliced(1, 0, "[1]"), "archive_damaged", /expected a table before its rows/],
};

for (const [what, [content, code, message]] of Object.entries(ARCHIVES)) {
  test(`${what} is refused`, () => refuses(fileOf(content), code, message));
}

test("invalid base64 is refused", async () => {
  await api.request("POST", "/v2/secrets", { body: { name: "A", value: "b", decryptable: true } });
  const { file } = await exportTo(api.settings);
  const text = readFileSync(file, "utf8").split("\n").slice(0, -1);
  const row = text.findIndex((line) => line.startsWith('{"table":"secret_versions"')) + 1;
  const values = JSON.parse(text[row] as string) as unknown[];
  const damaged = text.with(row, JSON.stringify([...values.slice(0, -1), `${String(values.at(-1))}!`]));
  await refuses(fileOf(damaged), "archive_damaged", /expected bytes or null as secret_versions\.ciphertext/);
});

test("truncated or changed compressed files are refused", async () => {
  for (const ending of [".gz", ".zst"]) {
    const { file, bytes } = await exportTo(api.settings, newFile(ending));
    truncateSync(file, bytes - 20);
    await refuses(file, "archive_damaged", /is damaged|is cut off/);
    const { file: other } = await exportTo(api.settings, newFile(ending));
    const content = readFileSync(other);
    content.writeUInt8((content.at(bytes >> 1) as number) ^ 0xff, bytes >> 1);
    await refuses(fileOf(content), "archive_damaged", /damaged|line \d+|changed|cut off/);
  }
});

test("a missing file is refused", () => refuses(newFile(), "file_unusable", /there is no such file/));

test("truncated, changed and foreign databases are refused", async () => {
  if (ENGINE === "postgres") return;
  const { file, bytes } = await backUpTo(api.settings, newFile(".db"));
  const whole = readFileSync(file);
  await refuses(fileOf(whole.subarray(0, bytes >> 1)), "archive_damaged", /damaged/);
  const scribbled = Buffer.from(whole);
  scribbled.fill(0x55, 4_096, bytes - 4_096);
  await refuses(fileOf(scribbled), "archive_damaged", /damaged/);
  const empty = Buffer.from(whole.subarray(0, 100));
  await refuses(fileOf(empty), "archive_damaged", /damaged|holds no store/);
});

/** Adds a row that an index of its table lacks. */
function unindexRow(file: string): void {
  const open = () => new DatabaseSync(file, { defensive: false });
  const change = (sql: string, ...values: SQLInputValue[]) => {
    using db = open();
    db.exec("pragma writable_schema = on");
    db.prepare(sql).run(...values);
  };
  using db = open();
  const index = db
    .prepare("select * from sqlite_schema where type = 'index' and tbl_name = 'mails' and sql is not null")
    .get();
  assert.ok(index);
  db.close();
  change("delete from sqlite_schema where name = ?", index["name"] as string);
  change("insert into mails (id, kind, recipient, payload, due_at, created_at) values ('mail_1', 'x', 'x', 'x', 0, 0)");
  change("insert into sqlite_schema values (?, ?, ?, ?, ?)", ...Object.values(index));
}

test("a database whose pages contradict each other is refused", async () => {
  if (ENGINE === "postgres") return;
  const { file } = await backUpTo(api.settings, newFile(".db"));
  unindexRow(file);
  await refuses(file, "archive_damaged", /damaged: .*(?:missing from index|wrong # of entries)/);
});

test("--verify finds the same errors, and a good file can still be restored afterwards", async () => {
  const report = await verify(settings, fileOf(user(1, "x@example.com")));
  assert.match(report.damage ?? "", /do not fit the hash/);
  assert.equal(report.chains, null);
  assertNothingLeft();
  assert.equal((await restore(settings, archive.file)).rows, archive.rows);
  const database = await openDatabase(settings);
  assert.ok((await readSchemaVersion(database)) > 0);
  await database.close();
});
