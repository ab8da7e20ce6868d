// The script of the page against SHA-256 of Node.js, the bounds of the work that it does, and the weight of the whole page.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import {
  REFERENCE,
  createChallengeWorld,
  navigate,
  solveCounting,
  solver,
  textOf,
} from "../../../test/gate/challenge-world.ts";
import { BROWSER_SCRIPT, SCRIPT_NAME } from "./browser-script.ts";
import { PUZZLES, chooseDifficulty, isDifficulty, waitMs } from "./difficulty.ts";
import { checkSolution } from "./proof.ts";
import { BASE_PATH } from "./routes.ts";
import { TEXTS } from "./texts.ts";

const MAX_PAGE_BYTES = 30_000;

test("the script's SHA-256 is that of Node.js", () => {
  const ascii = fc.string({
    unit: fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)),
    maxLength: 300,
  });
  fc.assert(
    fc.property(ascii, (text) => {
      const words = Array.from(solver.sha256(text), (word) => (word >>> 0).toString(16).padStart(8, "0"));
      assert.equal(words.join(""), hash("sha256", text));
    }),
    { examples: [0, 55, 56, 63, 64, 119, 120].map((length) => ["x".repeat(length)]) },
  );
});

test("what the script finds is right, and anything else is not", () => {
  const difficulty = 64;
  fc.assert(
    fc.property(fc.stringMatching(/^[\w.-]{1,128}$/), fc.nat(PUZZLES - 1), (text, at) => {
      const { solution } = solveCounting(text, difficulty);
      const token = { text, difficulty, issuedAt: 0, nonce: "", attack: 0 };
      assert.equal(checkSolution(token, solution), "right");
      // The counter of the solution is the first one that fits, so those before it do not.
      const counters = solution.split(".");
      counters[at] = (Number.parseInt(counters[at] as string, 36) + 1).toString(36);
      const other = hash("sha256", text + "x");
      assert.equal(checkSolution({ ...token, text: other }, solution), "wrong");
      assert.ok(["right", "wrong"].includes(checkSolution(token, counters.join("."))));
    }),
    { numRuns: 30 },
  );
});

test("malformed solutions are refused before anything is hashed", () => {
  const token = { text: "x", difficulty: 1, issuedAt: 0, nonce: "", attack: 0 };
  const right = Array.from({ length: PUZZLES }, () => "0");
  assert.equal(checkSolution(token, right.join(".")), "right");
  for (const solution of [
    "",
    right.slice(1).join("."),
    [...right, "0"].join("."),
    right.with(3, "").join("."),
    right.with(3, "-1").join("."),
    right.with(3, "A").join("."),
    right.with(3, "zzzzzzz").join("."),
    right.with(3, "1e1 ").join("."),
    "9".repeat(1_000_000),
  ]) {
    assert.equal(checkSolution(token, solution), "malformed", solution.slice(0, 100));
  }
});

test("the work stays within the bounds of people, whatever the load", () => {
  const request = navigate();
  const hard = chooseDifficulty(request, 1);
  const easy = chooseDifficulty(request, 0);
  // On average. 280 000 a second is what a browser makes that is slowed down four times.
  assert.equal(easy * PUZZLES, 65_536);
  assert.equal(hard * PUZZLES, 114_688);
  fc.assert(
    fc.property(fc.double(), (load) => {
      const difficulty = chooseDifficulty(request, load);
      assert.ok(Number.isInteger(difficulty) && isDifficulty(difficulty));
      assert.ok(waitMs(difficulty) >= 5_000 && waitMs(difficulty) <= 7_000);
    }),
  );
  assert.ok(!isDifficulty(easy - 1) && !isDifficulty(hard + 1));
  const odd = chooseDifficulty(navigate({ headers: { "accept-language": undefined } }), 0);
  assert.ok(odd > easy && odd < hard);
});

test("the work of a challenge varies little", () => {
  const difficulty = 256;
  const counts = Array.from({ length: 200 }, (_, at) => {
    const step = solver.createSolver(`token ${at}`, difficulty);
    let hashes = 1;
    while (step(64) === null) hashes += 64;
    return hashes / difficulty / PUZZLES;
  }).toSorted((a, b) => a - b);
  assert.ok((counts[100] as number) > 0.85 && (counts[100] as number) < 1.15, `median ${counts[100]}`);
  assert.ok((counts[190] as number) < 1.8, `95 %: ${counts[190]}`);
});

test("the page weighs at most 30 kB in every language, and loads nothing but its script", async () => {
  const { challenges, scope, get } = createChallengeWorld();
  const script = await get(`${BASE_PATH}/${SCRIPT_NAME}`);
  assert.equal(textOf(script), BROWSER_SCRIPT);
  assert.match(String(script.headers["cache-control"]), /immutable/);
  for (const language of Object.keys(TEXTS)) {
    const request = navigate({ headers: { "accept-language": language } });
    const page = textOf(challenges.respond(request, scope, REFERENCE));
    const bytes = Buffer.byteLength(page) + Buffer.byteLength(BROWSER_SCRIPT);
    assert.ok(bytes <= MAX_PAGE_BYTES, `${language}: ${bytes}`);
    const loads = [...page.matchAll(/(?:src|href|action|url)\s*=\s*"?([^"\s>]+)/g)].map(([, url]) => url ?? "");
    assert.ok(
      loads.every((url) => url === "data:," || url.startsWith(`${BASE_PATH}/`)),
      loads.join(" "),
    );
    assert.doesNotMatch(page + BROWSER_SCRIPT, /https?:/);
  }
});

test("a script of another version gets the current one, and keeps it for once", async () => {
  const { get } = createChallengeWorld();
  const response = await get(`${BASE_PATH}/check-000000000000.js`);
  assert.equal(response.status, 200);
  assert.equal(response.headers["cache-control"], "no-store");
});
