import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import { retryWhileBusy } from "../../../test/harness/wait-for.ts";
import { openVault, outcome } from "../../../test/resources/secrets.ts";

const client = await startTestApp();
const { clock, createUser, readEvents } = client;
const user = await createUser();
const vault = openVault(client, user.token);

const generate = (body: object) => vault.call("POST", "/generate", { body: { decryptable: true, ...body } });

/** The value of a new secret. */
async function valueOf(body: object): Promise<string> {
  const name = uniqueName("generated");
  const made = await retryWhileBusy(() => generate({ name, ...body }));
  assert.equal(made.status, 200, made.text);
  const revealed = await retryWhileBusy(() => vault.reveal(name));
  assert.equal(revealed.body.encoding, "utf8");
  return revealed.body.value;
}

/** How often each character of the value comes. */
function countCharacters(value: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  return counts;
}

const LONG = 4_096;

/**
 * Holds `text` to be evenly made of `size` characters, by Pearson's chi-squared. Chance passes the bound less than once
 * in a thousand million times; bytes taken modulo 94 would be at more than twice as much.
 */
function assertEven(text: string, size: number): void {
  const counts = countCharacters(text);
  assert.equal(counts.size, size);
  const mean = text.length / size;
  const unevenness = [...counts.values()].reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
  const freedom = size - 1;
  assert.ok(unevenness < freedom + 8 * Math.sqrt(2 * freedom) + 24, `${unevenness} over ${size} characters`);
}

/** Four long values in one. */
async function longText(body: object): Promise<string> {
  const values = await Promise.all(Array.from({ length: 4 }, () => valueOf({ ...body, length: LONG })));
  return values.join("");
}

test("a value consists of the alphabet's characters, evenly distributed", async () => {
  const alphabets: [string, RegExp, number][] = [
    ["alphanumeric", /^[A-Za-z0-9]+$/, 62],
    ["letters", /^[A-Za-z]+$/, 52],
    ["digits", /^[0-9]+$/, 10],
    ["hex", /^[0-9a-f]+$/, 16],
    ["base64url", /^[A-Za-z0-9_-]+$/, 64],
    ["printable", /^[\x21-\x7e]+$/, 94],
  ];
  for (const [alphabet, pattern, size] of alphabets) {
    const text = await longText({ alphabet });
    assert.match(text, pattern);
    assertEven(text, size);
  }
});

test("a value consists of the characters that the call names", async () => {
  const text = await longText({ characters: "ab!" });
  assert.match(text, /^[ab!]+$/);
  assertEven(text, 3);
});

test("the length is as asked for, and 32 alphanumeric characters by default", async () => {
  for (const length of [16, 17, 33, LONG]) assert.equal((await valueOf({ length })).length, length);
  assert.match(await valueOf({}), /^[A-Za-z0-9]{32}$/);
});

test("no two values are equal", async () => {
  const values = await Promise.all(Array.from({ length: 50 }, () => valueOf({})));
  assert.equal(new Set(values).size, values.length);
});

test("the value is stored and returned to nobody", async () => {
  const made = await generate({ name: "silent", tags: ["t"], description: "d" });
  assert.deepEqual(made.body.value, { type: "Buffer", data: [] });
  assert.deepEqual([made.body.tags, made.body.description, made.body.version], [["t"], "d", 1]);
  const { value } = (await vault.reveal("silent")).body;
  for (const text of [made.text, JSON.stringify(await readEvents(user.id))]) assert.ok(!text.includes(value));
  const locked = await vault.call("POST", "/generate", { body: { name: "locked" } });
  assert.equal(locked.body.decryptable, false);
  assert.equal("value" in (await vault.reveal("locked")).body, false);
});

test("contradicting and out-of-range options are refused", async () => {
  const cases: [object, string, string?][] = [
    [{ characters: "aba" }, "bad_request", "body.characters"],
    [{ characters: "a" }, "bad_request", "body.characters"],
    [{ characters: "aé" }, "bad_request", "body.characters"],
    [{ characters: "a b" }, "bad_request", "body.characters"],
    [{ characters: "ab", alphabet: "hex" }, "bad_request", "body.characters"],
    [{ alphabet: "klingon" }, "bad_request", "body.alphabet"],
    [{ length: 15 }, "bad_request", "body.length"],
    [{ length: LONG + 1 }, "bad_request", "body.length"],
    [{ value: "x" }, "bad_request", "body.value"],
    [{ name: "sec_x" }, "invalid_secret_name", "body.name"],
    [{ name: "SILENT" }, "secret_name_taken", "body.name"],
    [{ expiresAt: clock.now }, "invalid_expiry", "body.expiresAt"],
  ];
  for (const [body, code, field] of cases) {
    const refused = await generate({ name: "refused", ...body });
    assert.deepEqual([outcome(refused), refused.body.error.field], [code, field], JSON.stringify(body));
  }
});
