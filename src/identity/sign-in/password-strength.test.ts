import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { findWeakness } from "./password-strength.ts";

const ADA = { email: "ada.lovelace@example.com", username: "countess", name: "Ada Byron" };
const ADVICE = "Four words that have nothing to do with each other are hard to guess and easy to remember.";

test("a password that is hard to guess is strong, whatever it is made of", async () => {
  for (const password of [
    "purple elephant dance slowly",
    "correcthorsebatterystaple",
    "k3v7qmz2wxpn",
    "Tr8ub4dor&3",
    "спокойный чайник летит",
    "静かな湖畔の森の影から",
    "x".repeat(10) + "k3v7qmz2wxpn",
    "k3v7qmz2wxpn" + "x".repeat(244),
  ]) {
    assert.equal(await findWeakness(password, ADA), null, password);
  }
});

test("a short password says how long it should be", async () => {
  for (const password of ["", "x7#Kq9!", "\u{1f511}".repeat(7)]) {
    assert.equal(await findWeakness(password, ADA), `expected at least 8 characters. ${ADVICE}`, password);
  }
  assert.equal(await findWeakness("x7#Kq9!z", ADA), `too easy to guess: it is short. ${ADVICE}`);
});

test("a guessable password says what it is built on", async () => {
  for (const [password, foundation] of [
    ["password1234", "a common word or password"],
    ["P4$$W0RD1234!", "a common word or password"],
    ["Summer2024!!", "a common word or password"],
    ["football-baseball", "a common word or password"],
    ["aaaaaaaaaaaa", "repeated characters"],
    ["1".repeat(256), "repeated characters"],
    ["trustno1trustno1", "repeated characters"],
    ["efghijklmnop", "characters that follow each other"],
    ["1990-12-31-1990", "a date"],
    [";lkjhgfdsa[]", "neighbouring keys"],
    ["ada.lovelace@example.com", "your name or address"],
    ["Lovelace1234", "your name or address"],
    ["lovelaceada2024!", "your name or address"],
    ["c0untess1815!", "your name or address"],
    ["Byron2024!!!", "your name or address"],
    ["reeveada2024", "your name or address"],
  ] as const) {
    assert.equal(
      await findWeakness(password, ADA),
      `too easy to guess: it is built on ${foundation}. ${ADVICE}`,
      password,
    );
  }
  assert.equal(
    await findWeakness("lovelace countess reeve kettle moon", { email: "", username: "", name: null }),
    null,
  );
});

test("the same characters in another encoding are as strong", async () => {
  const fullWidth = "password1234".replaceAll(/./g, (one) => String.fromCodePoint(one.charCodeAt(0) + 0xfee0));
  assert.equal(await findWeakness(fullWidth, ADA), await findWeakness("password1234", ADA));
});

/** The CPU time of the estimate, in a round in which least else ran on the core. */
async function leastMs(password: string, names: typeof ADA): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < 5; round++) {
    const before = process.threadCpuUsage();
    await findWeakness(password, names);
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

test("no password of any length keeps the event loop busy", async () => {
  await findWeakness("load the dictionaries", ADA);
  const names = { email: `${"a1".repeat(30)}@example.com`, username: "1".repeat(30), name: "4@$ ".repeat(60) };
  // Found by climbing from bad to worse.
  for (const unit of [
    "1",
    "4$$w0r@p+$$w0rdp4%$w0rdp4$$w0odp4$$w0r0p4$$w0rdp4$$w0rdp4$$2$$wx",
    "111P1111x1110111111111121111111{11111111111111111111111111111111",
    "0123456789",
    "aBcD1@3$",
    "1990-12-31",
  ]) {
    const password = unit.repeat(256).slice(0, 256);
    const [whole, part] = [await leastMs(password, names), await leastMs(password.slice(0, 64), names)];
    // About 20 ms each; 200 to 600 where the estimate sees the whole password.
    assert.ok(whole < 4 * part, `${unit}: ${whole} ms, and ${part} ms for a quarter of it`);
  }
});

test("the dictionaries are loaded for the first password, not with the module", async () => {
  const script = `
    const { registerHooks } = require("node:module");
    const { parentPort } = require("node:worker_threads");
    const loaded = new Set();
    registerHooks({ resolve(specifier, context, next) { loaded.add(specifier); return next(specifier, context); } });
    const packages = () => [...loaded].filter((one) => one.startsWith("@zxcvbn-ts/")).sort();
    (async () => {
      const { findWeakness } = await import(${JSON.stringify(new URL("password-strength.ts", import.meta.url))});
      const before = packages();
      await findWeakness("purple elephant dance", ${JSON.stringify(ADA)});
      parentPort.postMessage({ before, after: packages().includes("@zxcvbn-ts/core") });
    })();`;
  const worker = new Worker(script, { eval: true });
  const found = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  await worker.terminate();
  assert.deepEqual(found, { before: [], after: true });
});
