import assert from "node:assert/strict";
import { test } from "node:test";
import { createCredential, credentialKind, hashCredential } from "./credential.ts";

test("a credential has only letters, digits and underscores, and its prefix names its kind", () => {
  for (const [kind, prefix] of [
    ["token", "rvt_"],
    ["key", "rvk_"],
  ] as const) {
    const { value, hash } = createCredential(kind);
    assert.match(value, new RegExp(`^${prefix}[0-9A-Za-z]{46}$`));
    assert.equal(credentialKind(value), kind);
    assert.equal(hash, hashCredential(value));
  }
});

test("a bootstrap token may have any form, even that of a credential with a wrong checksum", () => {
  assert.equal(credentialKind(`rvt_${"a".repeat(46)}`), "token");
  assert.equal(credentialKind(`rvk_${"a".repeat(46)}`), "token");
  assert.equal(credentialKind("word_word_word_word_word_word_word"), "token");
});
