// What an error suggests for an unknown name: a spelling, another word, or a part of a word, and never a word that is not near.
import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestHint, nearestNames, unknownKey } from "./nearest-name.ts";

const SUGGESTED: readonly (readonly [name: string, names: readonly string[], meant: string | undefined])[] = [
  ["nmae", ["name", "slug"], "name"],
  ["team_id", ["teamId", "slug"], "teamId"],
  ["TEAMID", ["teamId", "slug"], "teamId"],
  ["secret.created", ["secret-create", "secret-delete"], "secret-create"],
  ["evironmnt", ["environment"], "environment"],
  ["clientSecret", ["clientSecretEnv", "name"], "clientSecretEnv"],
  ["team", ["tag", "slug"], "slug"],
  ["team", ["teamId", "tag"], "teamId"],
  ["page", ["tag", "limit", "cursor"], "cursor"],
  ["path", ["at", "url"], "url"],
  ["from", ["form", "since"], "since"],
  ["from", ["form"], "form"],
  ["code", ["teamId", "inviteCode"], "inviteCode"],
  ["regex", ["eq", "re"], "re"],
  // Two letters or more than two edits away is another word.
  ["team", ["tag"], undefined],
  ["page", ["tag"], undefined],
  ["path", ["at"], undefined],
  ["team.created", ["flag.created"], undefined],
  ["k0", ["k"], undefined],
  ["expect", ["expectedVersion", "expectedName"], undefined],
  ["constructor", ["name"], undefined],
];

for (const [name, names, meant] of SUGGESTED) {
  test(`${name} among ${names.join(", ")}: ${meant}`, () => {
    assert.equal(nearestHint(name, names), meant === undefined ? "" : `; did you mean ${meant}?`);
  });
}

test("an unknown key without a near one lists those that there are", () => {
  assert.equal(unknownKey("colour", ["name", "slug"]), "unknown key; expected one of name, slug");
  assert.equal(unknownKey("colour", []), "unknown key");
  const many = Array.from({ length: 20 }, (_, at) => `k${at}`);
  assert.match(unknownKey("colour", many), /k0, .*k11, \.\.\.$/);
});

test("a key that no other stands for leads to what is done in its place", () => {
  const pages = "unknown key; for the next page, send `pagination.next` of the response as `until`";
  assert.equal(unknownKey("page", ["limit", "until"]), pages);
  assert.equal(unknownKey("Offset", ["limit", "until"]), pages);
  assert.equal(unknownKey("format", ["form", "since"]), "unknown key; the header `Accept` chooses the format");
  assert.equal(unknownKey("format", ["since"]), "unknown key; expected one of since");
});

test("several near names are suggested, the nearest first", () => {
  assert.deepEqual(nearestNames("secret-creat", ["secret-create", "secrets-create", "team-create"], 3), [
    "secret-create",
    "secrets-create",
  ]);
});
