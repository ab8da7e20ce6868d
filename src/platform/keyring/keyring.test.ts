import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { MissingKeyError } from "../kernel/keyring.ts";
import { addNewKey } from "./key-file.ts";
import { openKeyring, parseGivenKeys, readSources } from "./keyring.ts";
import type { KeySources } from "./keyring.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-keyring-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const newText = () => randomBytes(32).toString("base64");
const idOf = (text: string) => parseGivenKeys(text, "the test")[0]?.id as string;
const value = Buffer.from("value");

let files = 0;

/** Sources with no key in them. */
function noSources(): KeySources {
  return { given: null, file: null, ownFile: join(folder, `own-${files++}`) };
}

test("keys come from the settings, then from the operator's file, then from Reeve's own", () => {
  const sources = noSources();
  assert.deepEqual(openKeyring(sources).keyIds(), []);
  const [first, second, third] = [newText(), newText(), newText()];
  const file = join(folder, "operator");
  writeFileSync(file, `${third}\n${second}\n`);
  const own = addNewKey(sources.ownFile).id;
  const all = { ...sources, given: `${first}, ${second}`, file };
  assert.deepEqual(openKeyring(all).keyIds(), [idOf(first), idOf(second), idOf(third), own]);
  assert.deepEqual(
    readSources(all).map(({ id, source }) => [id, source]),
    [
      [idOf(first), "REEVE_MASTER_KEY"],
      [idOf(second), "REEVE_MASTER_KEY"],
      [idOf(third), file],
      [idOf(second), file],
      [own, sources.ownFile],
    ],
  );
});

test("a file that the settings name has to be there and to hold a key", () => {
  const file = join(folder, "empty");
  assert.throws(() => openKeyring({ ...noSources(), file }), /there is no file .*empty/);
  writeFileSync(file, "# nothing yet\n");
  assert.throws(() => openKeyring({ ...noSources(), file }), /REEVE_MASTER_KEY_FILE: .*empty holds no key/);
});

test("a key that was added to a file since is found when it is needed", () => {
  const sources = noSources();
  const first = addNewKey(sources.ownFile).id;
  const here = openKeyring(sources);
  const second = addNewKey(sources.ownFile).id;
  const sealed = openKeyring(sources).seal(value, "a place", second);
  assert.deepEqual(here.keyIds(), [first]);
  assert.deepEqual(here.unseal(sealed, "a place"), value);
  assert.deepEqual(here.keyIds(), [second, first]);
  const rewrapped = here.rewrap(sealed, "a place", first);
  assert.equal(rewrapped.keyId, first);
  assert.deepEqual(here.unseal({ ...sealed, ...rewrapped }, "a place"), value);
});

test("a key that was read needs its file no more", () => {
  const sources = noSources();
  const { id } = addNewKey(sources.ownFile);
  const keyring = openKeyring(sources);
  const sealed = keyring.seal(value, "a place", id);
  rmSync(sources.ownFile);
  assert.deepEqual(keyring.unseal(sealed, "a place"), value);
});

test("a key that nobody has is named, also while somebody edits the file", () => {
  const sources = noSources();
  const keyring = openKeyring(sources);
  const isMissing = (error: unknown) => error instanceof MissingKeyError && error.keyId === "mk_absent";
  assert.throws(() => keyring.seal(value, "a place", "mk_absent"), isMissing);
  const { id } = addNewKey(sources.ownFile);
  const sealed = keyring.seal(value, "a place", id);
  writeFileSync(sources.ownFile, "half a ke");
  assert.throws(() => keyring.rewrap(sealed, "a place", "mk_absent"), isMissing);
  assert.deepEqual(keyring.unseal(sealed, "a place"), value);
});
