import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  copyFileSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { addNewKey, readKeyFile, setKeyAside } from "./key-file.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-keys-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const idsIn = (file: string) => readKeyFile(file)?.map(({ id }) => id);

test("new keys come first in a file that its owner alone may read", () => {
  const file = join(folder, "made", "master.key");
  assert.equal(readKeyFile(file), undefined);
  const first = addNewKey(file).id;
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, "made")).mode & 0o077, 0);
  const second = addNewKey(file).id;
  assert.deepEqual(idsIn(file), [second, first]);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  // Nothing is left of how it was replaced.
  assert.deepEqual(readdirSync(join(folder, "made")), ["master.key"]);
});

test("a key is taken out alone, and what people wrote around it stays", () => {
  const file = join(folder, "kept");
  const line = () => randomBytes(32).toString("hex");
  const [kept, retired] = [line(), line()];
  writeFileSync(file, `# of the vault\n\n  ${kept}\n${retired}\n`);
  const [, id = ""] = idsIn(file) ?? [];
  assert.equal(setKeyAside(file, "mk_0000000000000000"), null);
  assert.equal(setKeyAside(file, id), `${file}.retired`);
  assert.deepEqual(
    readKeyFile(`${file}.retired`)?.map((key) => key.id),
    [id],
  );
  assert.equal(statSync(`${file}.retired`).mode & 0o777, 0o600);
  assert.equal(readFileSync(file, "utf8"), `# of the vault\n\n  ${kept}\n`);
  assert.equal(setKeyAside(file, id), null);
  assert.equal(setKeyAside(join(folder, "absent"), id), null);
  assert.equal(readKeyFile(join(folder, "absent")), undefined);
});

test("a key that is retired joins those that were retired before", () => {
  const file = join(folder, "twice");
  const [first, second] = [addNewKey(file).id, addNewKey(file).id];
  addNewKey(file);
  for (const id of [first, second]) assert.equal(setKeyAside(file, id), `${file}.retired`);
  assert.deepEqual(idsIn(`${file}.retired`), [first, second]);
});

test("a new key leaves alone what people wrote, such as a key that they took out of use", () => {
  const file = join(folder, "annotated");
  const [first, second] = [addNewKey(file).id, addNewKey(file).id];
  const lines = readFileSync(file, "utf8").split("\n");
  const keyAt = lines.findLastIndex((line) => line !== "");
  writeFileSync(file, lines.with(keyAt, `# until 2029: ${lines[keyAt]}`).join("\r\n"));
  assert.deepEqual(idsIn(file), [second]);
  const third = addNewKey(file).id;
  assert.deepEqual(idsIn(file), [third, second]);
  assert.ok(readFileSync(file, "utf8").includes(`# until 2029: ${lines[keyAt]}`));
  // The notice stands once, and the key that was taken out can be taken in again.
  assert.equal(readFileSync(file, "utf8").match(/keep a copy/g)?.length, 1);
  writeFileSync(file, readFileSync(file, "utf8").replace("# until 2029: ", ""));
  assert.deepEqual(idsIn(file), [third, second, first]);
});

test("a comment is one behind a byte order mark or spaces too", () => {
  const file = join(folder, "marked");
  const { id } = addNewKey(file);
  writeFileSync(file, `\uFEFF${readFileSync(file, "utf8")}  # the end`);
  assert.deepEqual(idsIn(file), [id]);
});

test("a key file that is a link stays one: what it leads to is what is backed up", () => {
  const [link, file] = [join(folder, "link"), join(folder, "vault")];
  const first = addNewKey(file).id;
  symlinkSync(file, link);
  const second = addNewKey(link).id;
  assert.deepEqual(idsIn(file), [second, first]);
  assert.equal(setKeyAside(link, first), `${link}.retired`);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.deepEqual(idsIn(file), [second]);
});

test("a file stays its owner's, though root writes it", () => {
  const file = join(folder, "owned");
  const first = addNewKey(file).id;
  // Only root can give files away; to everybody else what they write belongs anyway.
  const owner = process.getuid?.() === 0 ? 4_321 : (process.getuid?.() ?? 0);
  if (process.getuid?.() === 0) chownSync(file, owner, owner);
  addNewKey(file);
  assert.equal(statSync(file).uid, owner);
  assert.equal(setKeyAside(file, first), `${file}.retired`);
  assert.deepEqual([statSync(file).uid, statSync(file).mode & 0o777], [owner, 0o600]);
});

test("what a killed command left unfinished is used up by the next one", () => {
  const made = join(folder, "killed");
  const file = join(made, "master.key");
  const first = addNewKey(file).id;
  copyFileSync(file, `${file}.new`);
  assert.equal(setKeyAside(file, addNewKey(file).id), `${file}.retired`);
  assert.deepEqual([idsIn(file), readdirSync(made)], [[first], ["master.key", "master.key.retired"]]);
});

test("a place where no file can be is refused in words", () => {
  const file = join(folder, "no-folder");
  writeFileSync(file, "");
  assert.throws(
    () => addNewKey(join(file, "master.key")),
    /^KeyringError: cannot write the master keys to .*no-folder/,
  );
});

test("a line that is no key is refused with its place, and not repeated", () => {
  const file = join(folder, "wrong");
  writeFileSync(file, `# comment\n${randomBytes(32).toString("hex")}\nhunter2\n`);
  assert.throws(() => readKeyFile(file), /^KeyringError: .*wrong, line 3: expected 32 bytes .*, got 7 characters$/);
  assert.throws(() => readKeyFile(folder), /^KeyringError: cannot read the master keys in /);
});
