// Challenges and passes that are forged, altered, too old, of somebody else or used before.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  attributeOf,
  NOON,
  REFERENCE,
  cookieOf,
  createChallengeWorld,
  createScope,
  navigate,
  problemOf,
  solveCounting,
  textOf,
} from "../../../test/gate/challenge-world.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { BASE_PATH, waitUrl } from "./routes.ts";
import { TEXTS } from "./texts.ts";

const withCookie = (cookie: string, parts = {}) => navigate({ ...parts, headers: { cookie } });

test("a solution gives a pass for an hour, whatever address it comes from", async () => {
  const { challenges, scope, clock, pass, issue, solve } = createChallengeWorld();
  const response = await solve(issue());
  assert.match(
    String(response.headers["set-cookie"]),
    /^__Host-reeve-pass=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
  );
  const cookie = cookieOf(response);
  assert.ok(challenges.hasPass(withCookie(cookie), scope));
  assert.ok(challenges.hasPass(withCookie(`a=b; ${cookie};c=d`, { ip: "2001:db8::1" }), scope));
  assert.ok(challenges.hasPass(withCookie(`__Host-reeve-pass=old; ${cookie}`), scope));
  assert.ok(challenges.hasPass(navigate({ headers: { cookie: ["a=b", cookie] } }), scope));
  assert.ok(!challenges.hasPass(withCookie(`x${cookie}`), scope));
  assert.ok(!challenges.hasPass(navigate(), scope));
  clock.now += HOUR_MS - 1;
  assert.ok(challenges.hasPass(withCookie(cookie), scope));
  clock.now += 1;
  assert.ok(!challenges.hasPass(withCookie(cookie), scope));
  const plain = await pass({ scheme: "http" });
  assert.match(plain, /^reeve-pass=/);
  assert.ok(challenges.hasPass(withCookie(plain, { scheme: "http" }), scope));
});

test("a pass is bound to its host, owner and project", async () => {
  const { challenges, scope, pass } = createChallengeWorld();
  const cookie = await pass({ host: "Shop.Example:443" });
  assert.ok(challenges.hasPass(withCookie(cookie, { host: "shop.example" }), scope));
  for (const host of ["other.example", "shop.example:8443", "shop.example:80", "a.shop.example", "shop.example."]) {
    assert.ok(!challenges.hasPass(withCookie(cookie, { host }), scope), host);
  }
  assert.ok(!challenges.hasPass(withCookie(cookie), createScope({ ownerId: "team_2" })));
  assert.ok(!challenges.hasPass(withCookie(cookie), createScope({ projectId: "prj_2" })));
  const keys = scope.keys.map(({ day }) => ({ day, key: Buffer.alloc(32, 99).toString("base64url") }));
  assert.ok(!challenges.hasPass(withCookie(cookie), createScope({ keys })));
});

test("a pass of yesterday is good until its own end, and its key makes none of today", async () => {
  const { challenges, scope, clock, pass, solve } = createChallengeWorld();
  clock.now = 20_001 * DAY_MS - MINUTE_MS;
  const cookie = await pass();
  clock.now += 30 * MINUTE_MS;
  assert.ok(challenges.hasPass(withCookie(cookie), scope));
  // A gate without the key of yesterday cannot tell.
  assert.ok(!challenges.hasPass(withCookie(cookie), createScope({ keys: scope.keys.slice(2) })));
  clock.now += 30 * MINUTE_MS;
  assert.ok(!challenges.hasPass(withCookie(cookie), scope));
  // Anyone who has learnt the key of yesterday alone signs with it at noon.
  clock.now = NOON;
  const yesterday = createScope({ keys: scope.keys.slice(0, 1) });
  const page = challenges.respond(navigate(), yesterday, REFERENCE);
  const token = attributeOf(page, "data-token");
  const { solution } = solveCounting(token, Number(attributeOf(page, "data-difficulty")));
  const forged = await solve({ token, solution }, {}, yesterday);
  assert.equal(forged.status, 204);
  assert.ok(!challenges.hasPass(withCookie(cookieOf(forged)), scope));
  assert.equal(problemOf(await solve({ token, solution }))["code"], "forged");
});

test("when the list of keys does not reach today its last key counts", async () => {
  const world = createChallengeWorld();
  world.clock.now = NOON + 30 * DAY_MS;
  const cookie = await world.pass();
  assert.ok(world.challenges.hasPass(withCookie(cookie), world.scope));
  const last = createScope({ keys: world.scope.keys.slice(-1) });
  assert.ok(world.challenges.hasPass(withCookie(cookie), last));
  // The clock is behind all keys.
  world.clock.now = NOON - 30 * DAY_MS;
  assert.ok(world.challenges.hasPass(withCookie(await world.pass()), world.scope));
});

test("without any key nobody passes and nothing fails", async () => {
  const { challenges, pass } = createChallengeWorld();
  const empty = createScope({ keys: [] });
  const cookie = await pass();
  assert.ok(!challenges.hasPass(withCookie(cookie), empty));
  assert.equal(challenges.respond(navigate(), empty, REFERENCE).status, 503);
  assert.equal((await challenges.handle(navigate({ target: BASE_PATH }), "", empty)).status, 503);
});

test("altered passes are refused", async () => {
  const { challenges, scope, pass } = createChallengeWorld();
  const [name, value = ""] = (await pass()).split("=");
  fc.assert(
    fc.property(fc.nat(value.length - 1), fc.constantFrom(...Array.from("01azAZ-_. é")), (at, character) => {
      const altered = value.slice(0, at) + character + value.slice(at + 1);
      assert.equal(challenges.hasPass(withCookie(`${name}=${altered}`), scope), altered === value);
    }),
    { numRuns: 2_000 },
  );
  for (const other of ["", "1", "1..", `${value}x`, value.slice(0, -1), "x".repeat(100_000), `"${value}"`]) {
    assert.ok(!challenges.hasPass(withCookie(`${name}=${other}`), scope));
  }
});

test("altered challenges are refused", async () => {
  const { issue, solve } = createChallengeWorld();
  const { token, solution } = issue();
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...Array.from("01azAZ-_. é")), async (at, character) => {
      const altered = token.slice(0, at) + character + token.slice(at + 1);
      fc.pre(altered !== token);
      const response = await solve({ token: altered, solution });
      assert.ok([400, 403].includes(response.status));
      assert.ok(["malformed", "forged"].includes(problemOf(response)["code"] ?? ""));
      assert.equal(response.headers["set-cookie"], undefined);
    }),
    { numRuns: 500 },
  );
  // It is still good after all that.
  assert.equal((await solve({ token, solution })).status, 204);
});

test("a challenge is solved for its own host and project, in five minutes", async () => {
  const { clock, issue, solve } = createChallengeWorld();
  const fields = issue();
  const codeOf = async (...input: Parameters<typeof solve>) => problemOf(await solve(...input))["code"];
  assert.equal(await codeOf(fields, { host: "other.example" }), "forged");
  assert.equal(await codeOf(fields, {}, createScope({ projectId: "prj_2" })), "forged");
  assert.equal(await codeOf(fields, {}, createScope({ ownerId: "team_2" })), "forged");
  const solution = fields.solution.split(".").toReversed().join(".");
  assert.equal(await codeOf({ ...fields, solution }), "wrong");
  clock.now += 5 * MINUTE_MS;
  assert.equal(await codeOf(fields), "expired");
  clock.now -= 7 * MINUTE_MS;
  assert.equal(await codeOf(fields), "expired");
  clock.now += 2 * MINUTE_MS;
  assert.equal((await solve(fields)).status, 204);
});

test("of ten attempts at once with one solution exactly one gets a pass", async () => {
  const { issue, solve, clock, get } = createChallengeWorld();
  const fields = issue();
  const responses = await Promise.all(Array.from({ length: 10 }, async () => await solve(fields)));
  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [204, ...Array<number>(9).fill(403)]);
  assert.deepEqual(
    new Set(responses.map(({ headers }) => headers["set-cookie"] !== undefined)),
    new Set([true, false]),
  );
  assert.equal(problemOf(await solve(fields))["code"], "spent");
  // Nor does waiting give a second one.
  clock.now += MINUTE_MS;
  assert.equal((await get(waitUrl(fields.token, "/"))).status, 403);
});

test("a pass is issued only once the store of spent solutions has answered that the solution is new", async () => {
  const asked: { id: string; until: number }[] = [];
  const answers = [Promise.resolve(false), Promise.reject(new Error("unreachable")), Promise.resolve(true)];
  const spent = { spend: (id: string, until: number) => answers[asked.push({ id, until }) - 1] as Promise<boolean> };
  const { issue, solve, clock } = createChallengeWorld({ spent });
  const fields = issue();
  assert.equal((await solve(fields)).status, 403);
  await assert.rejects(solve(fields), /unreachable/);
  assert.equal((await solve(fields)).status, 204);
  assert.equal(new Set(asked.map(({ id }) => id)).size, 1);
  assert.ok(asked.every(({ until }) => until >= clock.now + 5 * MINUTE_MS));
});

test("a browser without script gets its pass by waiting, once, and no sooner", async () => {
  const { challenges, scope, clock, get } = createChallengeWorld();
  const page = textOf(challenges.respond(navigate(), scope, REFERENCE));
  const [, seconds, refresh = ""] = /content="(\d+);url=([^"]*)"/.exec(page) ?? [];
  const url = refresh.replaceAll("&amp;", "&");
  assert.equal(seconds, "6");
  clock.now += 4_999;
  const early = await get(url);
  assert.deepEqual([early.status, early.headers["set-cookie"]], [403, undefined]);
  assert.ok(textOf(early).includes(TEXTS.en.early));
  assert.match(textOf(early), /content="2;url=/);
  assert.ok(textOf(early).includes(refresh), "the same challenge");
  clock.now += 1;
  const issued = await get(url);
  assert.deepEqual(
    [issued.status, issued.headers["location"]],
    [303, `${BASE_PATH}/continue?return=%2Fcart%3Fitem%3D1`],
  );
  assert.equal((await get(url)).status, 403);
  const kept = await get(String(issued.headers["location"]), { headers: { cookie: cookieOf(issued) } });
  assert.deepEqual([kept.status, kept.headers["location"]], [303, "/cart?item=1"]);
  const refused = await get(String(issued.headers["location"]));
  assert.deepEqual([refused.status, refused.headers["location"]], [403, undefined]);
  assert.ok(textOf(refused).includes(TEXTS.en.cookies));
  // Nothing of it goes on by itself.
  assert.doesNotMatch(textOf(refused), /http-equiv|<script/);
});

test("malformed requests are refused in plain words, and none of them fails", async () => {
  const { challenges, scope, issue } = createChallengeWorld();
  const { token, solution } = issue();
  const post = async (body: string) =>
    await challenges.handle(navigate({ method: "POST", target: `${BASE_PATH}/solve` }), body, scope);
  for (const body of [
    "",
    "token",
    `token=${token}`,
    `solution=${solution}`,
    "{}",
    "%",
    `token=${token}&solution=%ff`,
  ]) {
    const response = await post(body);
    assert.deepEqual([response.status, problemOf(response)["code"]], [400, "malformed"], body);
  }
  assert.equal((await post("x".repeat(2_000))).status, 413);
  assert.equal((await post("x".repeat(100_000))).status, 413);
  const anything = fc.oneof(fc.string({ unit: "binary" }), fc.webPath(), fc.webQueryParameters());
  const path = fc.constantFrom(
    "",
    "/",
    "/solve",
    "/wait",
    "/continue",
    "/pass",
    "/check-000000000000.js",
    "/x",
    "?return=",
    "/wait?token=",
  );
  await fc.assert(
    fc.asyncProperty(
      path,
      anything,
      anything,
      fc.constantFrom("GET", "HEAD", "POST", "PUT", "OPTIONS"),
      async (at, rest, body, method) => {
        const response = await challenges.handle(navigate({ method, target: BASE_PATH + at + rest }), body, scope);
        assert.ok([200, 204, 303, 307, 400, 403, 404, 405, 413].includes(response.status));
        assert.equal(response.headers["set-cookie"], undefined);
        if (method === "HEAD") assert.equal(response.body, null);
      },
    ),
    { numRuns: 300 },
  );
  const long = await challenges.handle(navigate({ target: `${BASE_PATH}?return=/${"a".repeat(20_000)}` }), "", scope);
  assert.equal(long.status, 413);
  assert.ok(!textOf(long).includes("aaaa"));
});
