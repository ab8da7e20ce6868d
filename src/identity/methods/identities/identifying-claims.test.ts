// What identifies somebody or something in a signed token, generated and through the real flows: both ways take the same values, on
// both engines, and tell two that differ apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { uniqueName } from "../../../../test/harness/test-app.ts";
import { openWorkload } from "../../../../test/resources/workload.ts";
import { CROSS_SITE, openVisits } from "../../../../test/sign-in/provider-visits.ts";
import { startProviderWorld } from "../../../../test/sign-in/provider-world.ts";
import { createVisitor } from "../../../../test/sign-in/visitor.ts";

const lines: string[] = [];
const api = await startProviderWorld(
  { keycloak: { signUp: true, roles: [{ claim: "groups", value: "admins", instance: "administrator" }] } },
  { egressAllow: "127.0.0.1", logLevel: "warn" },
  (line) => void lines.push(line),
);
const { app, issuers, request } = api;
const { goThere, whoIs } = openVisits(api);
const { github, createTrustRule, claimsNow, exchange, refused } = await openWorkload(api);
const RUNS = { numRuns: 12 };

let counter = 0;
const nextEmail = () => `person-${counter++}@acme.example`;

/** Signs in as an account of the provider; the account here, or none. */
async function signIn(subject: string, claims: object = {}) {
  issuers.get("keycloak")?.setAccount(subject, { email: nextEmail(), email_verified: true, ...claims });
  const visitor = createVisitor(app);
  const shown = await visitor.get(await goThere(visitor, "keycloak", subject), CROSS_SITE);
  return { status: shown.status, problem: shown.problem, user: await whoIs(visitor) };
}

/** Text that may be in a name, of any script, without controls. */
const letters = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter((text) => !/\p{Cc}/u.test(text));
const fitting = fc.oneof(
  letters,
  fc.constant("x".repeat(255)),
  letters.map((text) => ` ${text} `),
);
/** Just as a provider may send it, and no identifier. */
const odd = fc.oneof(
  fc
    .tuple(letters, fc.integer({ min: 0, max: 0x1f }), letters)
    .map(([a, code, b]) => a + String.fromCharCode(code) + b),
  fc.tuple(letters, fc.integer({ min: 0x7f, max: 0x9f })).map(([a, code]) => a + String.fromCharCode(code)),
  fc.tuple(letters, fc.integer({ min: 0xd800, max: 0xdfff })).map(([a, code]) => `${a}${String.fromCharCode(code)}.`),
  fc.string({ unit: "grapheme-ascii", minLength: 256, maxLength: 6_000 }),
);

test("a subject that fits is one account and one key's name, and no other is", async () => {
  const { team } = await createTrustRule({ claims: { sub: ["**", "x"], job: "deploy" } });
  await fc.assert(
    fc.asyncProperty(fitting, async (subject) => {
      const unique = `${counter}${subject}`.slice(0, 255).toWellFormed();
      const { status, problem, user } = await signIn(unique);
      assert.equal(status, 303, problem ?? "");
      const again = await signIn(unique);
      assert.equal(again.user.id, user.id);
      const padded = await signIn(`${unique.slice(1)} `.slice(0, 255).toWellFormed());
      assert.notEqual(padded.user.id, user.id);
      const token = await github.sign(claimsNow({ sub: unique, job: "deploy" }));
      assert.equal((await exchange({ audience: team.id }, token)).status, 200);
    }),
    RUNS,
  );
});

test("an odd subject signs nobody in and is exchanged for no key, on the page of a failure of the provider", async () => {
  const { team, owner, scope } = await createTrustRule({ claims: { sub: "**", job: "deploy" } });
  await fc.assert(
    fc.asyncProperty(odd, async (subject) => {
      const before = lines.length;
      const { status, problem, user } = await signIn(subject);
      assert.deepEqual([status, user], [401, undefined]);
      assert.match(problem ?? "", /Keycloak could not sign you in\. The log of this server says why/);
      const logged = lines.slice(before).find((line) => line.includes("a sign-in with a provider failed")) ?? "";
      assert.match(logged, /its sub: expected /);
      assert.ok(!logged.includes(subject), "the value is not logged");
      const token = await github.sign(claimsNow({ sub: subject, job: "deploy" }));
      await refused(team.id, token);
      const explained = await request("POST", `/v1/identity/explain${scope}`, { token: owner.token, body: { token } });
      assert.match(explained.body.checks[0].text, /^its sub: expected /);
    }),
    RUNS,
  );
});

test("two long subjects with the same start are not one account", async () => {
  const start = uniqueName("long").padEnd(256, "x");
  for (const subject of [`${start}1`, `${start}2`]) assert.equal((await signIn(subject)).status, 401);
  const [one, other] = [await signIn(`${start.slice(0, 254)}1`), await signIn(`${start.slice(0, 254)}2`)];
  assert.notEqual(one.user.id, other.user.id);
});

test("an audience and an issuer of odd text are refused, and a list with one is", async () => {
  const { team } = await createTrustRule();
  const AUDIENCE = "https://reeve.example.com";
  for (const aud of [
    [AUDIENCE, "a\u0000"],
    [AUDIENCE, "x".repeat(256)],
    [AUDIENCE, 7],
    [AUDIENCE, "\ud800"],
  ]) {
    await refused(team.id, await github.sign(claimsNow({ aud })));
  }
  for (const sub of [7, true, ["a"], { a: 1 }, "", null]) await refused(team.id, await github.sign(claimsNow({ sub })));
  const { status } = await exchange({ audience: team.id }, await github.sign(claimsNow({ aud: [AUDIENCE, "other"] })));
  assert.equal(status, 200);
});

test("an address that does not fit is no address, and is never cut into one that does", async () => {
  const holder = await signIn(uniqueName("holder"), { email: "victim@acme.example" });
  for (const email of [
    "victim@acme.example\u0000",
    " victim@acme.example ",
    "\u0000victim@acme.example",
    `victim@acme.example${" ".repeat(300)}x`,
    `${"x".repeat(250)}@acme.example`,
    "victim@acme.example\ud800",
    ["victim@acme.example"],
    7,
    "victim\u0007@acme.example",
  ]) {
    const { status, problem, user } = await signIn(uniqueName("thief"), { email });
    assert.deepEqual([status, user], [403, undefined], JSON.stringify(email) + (problem ?? ""));
  }
  assert.equal(holder.user.email, "victim@acme.example");
});

test("odd names and groups give nothing: no cut username, no role, and the sign-in goes on", async () => {
  const claims = { groups: ["admins\u0000", "admins ", "x".repeat(6_000), "\ud800"], name: "Ada\u0000\ud800 Lovelace" };
  for (const preferred of ["ada\u0000", "x".repeat(256), "\udfff", 7]) {
    const email = nextEmail();
    const { status, user } = await signIn(uniqueName("odd"), { ...claims, email, preferred_username: preferred });
    assert.deepEqual([status, user.isAdmin], [303, false]);
    assert.ok(user.name.isWellFormed() && !/\p{Cc}/u.test(user.name), "a name is for people, so it is cleaned");
    assert.match(user.username, new RegExp(`^${email.split("@")[0]}`), "of the address, not of half of a name");
  }
});
