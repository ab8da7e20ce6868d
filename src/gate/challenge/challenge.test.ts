// The challenge without a browser: who gets the page, what is accepted as a solution, what a pass is good for, where people are sent.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../kernel/scheduling/clock.ts";
import type { GateRequest, GateResponse } from "../message.ts";
import { BROWSER_SCRIPT } from "./browser-script.ts";
import { createChallenges } from "./challenges.ts";
import type { ChallengeScope } from "./keys.ts";
import { BASE_PATH } from "./routes.ts";
import { createSpentSolutions } from "./spent-solutions.ts";

const START = Date.UTC(2030, 0, 1, 12);
const TODAY = START / DAY_MS - 0.5;

function scopeOf(projectId = "shop", first = TODAY - 1): ChallengeScope {
  const keys = Array.from({ length: 9 }, (_, at) => ({
    day: first + at,
    key: hash("sha256", `${projectId} ${first + at}`, "base64url"),
  }));
  return { ownerId: "team_1", projectId, keys };
}

function newChallenges(load = 0) {
  const world = { now: START };
  const clock = () => world.now;
  return { world, challenges: createChallenges({ clock, load: () => load, spent: createSpentSolutions({ clock }) }) };
}

const NAVIGATION = {
  accept: "text/html,*/*;q=0.8",
  "accept-language": "en",
  "user-agent": "Mozilla/5.0",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

function requestOf(target: string, more: Partial<GateRequest> = {}): GateRequest {
  return { method: "GET", scheme: "http", host: "shop.test", target, headers: NAVIGATION, ip: "203.0.113.7", ...more };
}

const REFERENCE = { id: "abc123", rule: null };

function tokenIn({ body }: GateResponse): { readonly token: string; readonly difficulty: number } {
  const [, token = ""] = /token=([\w.-]+)/.exec(String(body)) ?? [];
  return { token, difficulty: Number.parseInt(token.split(".")[3] ?? "", 36) };
}

/** As browser-script.ts does, in the words of proof.ts. */
function solve({ token, difficulty }: ReturnType<typeof tokenIn>): string {
  const message = Buffer.alloc(40);
  message.set(hash("sha256", token, "buffer"));
  const bound = Math.floor(2 ** 32 / difficulty);
  return Array.from({ length: 16 }, (_, puzzle) => {
    message.writeUInt32BE(puzzle, 32);
    for (let counter = 0; ; counter++) {
      message.writeUInt32BE(counter, 36);
      if (hash("sha256", message, "buffer").readUInt32BE() < bound) return counter.toString(36);
    }
  }).join(".");
}

const posted = (body: object) => new URLSearchParams(body as Record<string, string>).toString();
const SOLVE = requestOf(`${BASE_PATH}/solve`, { method: "POST" });

describe("the page", () => {
  it("is for navigations; others get a problem document that names it", () => {
    const { challenges } = newChallenges();
    const typeOf = (request: GateRequest) =>
      String(challenges.respond(request, scopeOf(), REFERENCE).headers["content-type"]).split(";")[0];
    assert.equal(typeOf(requestOf("/a")), "text/html");
    assert.equal(
      typeOf(requestOf("/a", { headers: { accept: "text/html", "user-agent": "Mozilla/5.0" } })),
      "text/html",
    );
    for (const headers of [
      { accept: "*/*" },
      { ...NAVIGATION, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
      { ...NAVIGATION, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
      { ...NAVIGATION, "sec-fetch-dest": "iframe" },
      { accept: "text/html", "x-requested-with": "XMLHttpRequest" },
    ]) {
      assert.equal(typeOf(requestOf("/a", { headers })), "application/problem+json", JSON.stringify(headers));
    }
    assert.equal(typeOf(requestOf("/a", { method: "OPTIONS" })), "application/problem+json");
    const { body } = challenges.respond(requestOf("/a?b=1", { headers: {} }), scopeOf(), REFERENCE);
    const { challenge, reference } = JSON.parse(String(body)) as { challenge: string; reference: string };
    assert.deepEqual([challenge, reference], [`${BASE_PATH}?id=abc123&return=%2Fa%3Fb%3D1`, "abc123"]);
  });

  it("has at most 30 kB with its script, loads from its own host alone, and shows the id", () => {
    const { challenges } = newChallenges();
    const { body, headers, status } = challenges.respond(requestOf("/a"), scopeOf(), REFERENCE);
    const page = String(body);
    assert.ok(Buffer.byteLength(page) + Buffer.byteLength(BROWSER_SCRIPT) <= 30_000);
    assert.equal(status, 403);
    assert.ok(page.includes("abc123"));
    assert.doesNotMatch(page + BROWSER_SCRIPT, /https?:\/\/(?!www\.w3\.org)/);
    assert.match(String(headers["content-security-policy"]), /default-src 'none'/);
    assert.equal(headers["cache-control"], "no-store");
  });

  it("speaks the visitor's language, and escapes what the visitor sent", () => {
    const { challenges } = newChallenges();
    const pageFor = (language: string, target = "/") => {
      const headers = { ...NAVIGATION, "accept-language": language };
      return String(challenges.respond(requestOf(target, { headers }), scopeOf(), REFERENCE).body);
    };
    for (const [asked, lang] of [
      ["de-AT,de;q=0.9", "de"],
      ["fr", "fr"],
      ["ja", "ja"],
      ["tlh,es;q=0.5", "es"],
      ["tlh", "en"],
      ["", "en"],
    ] as const) {
      assert.match(pageFor(asked), new RegExp(`<html lang="${lang}`), asked);
    }
    assert.match(pageFor("ar"), /dir="rtl"/);
    assert.ok(!pageFor("en", `/"><script>alert(1)</script>`).includes("<script>alert"));
  });

  it("keeps a small form, and says of another that it has to be sent again", () => {
    const { challenges } = newChallenges();
    const form = { ...NAVIGATION, "content-type": "application/x-www-form-urlencoded" };
    const request = requestOf("/order", { method: "POST", headers: { ...form, "sec-fetch-site": "same-origin" } });
    const body = "name=A%22%3E&amount=2";
    const kept = challenges.respond(request, scopeOf(), REFERENCE, { body });
    assert.match(String(kept.body), /name="name" value="A&quot;&gt;"/);
    // Another site could send its form in the name of this one.
    const foreign = requestOf("/order", { method: "POST", headers: { ...form, "sec-fetch-site": "cross-site" } });
    assert.doesNotMatch(String(challenges.respond(foreign, scopeOf(), REFERENCE, { body }).body), /name="amount"/);
    const lost = challenges.respond(request, scopeOf(), REFERENCE);
    assert.doesNotMatch(String(lost.body), /name="amount"/);
  });
});

describe("a solution", () => {
  const page = (challenges: ReturnType<typeof newChallenges>["challenges"]) =>
    tokenIn(challenges.respond(requestOf("/a"), scopeOf(), REFERENCE));

  it("gives a pass once, also when ten arrive at a time", async () => {
    const { challenges } = newChallenges();
    const token = page(challenges);
    const body = posted({ token: token.token, solution: solve(token) });
    const answers = await Promise.all(Array.from({ length: 10 }, () => challenges.handle(SOLVE, body, scopeOf())));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, ...Array.from({ length: 9 }, () => 403)]);
  });

  it("is refused when it is wrong, forged, late, malformed, or for another host or project", async () => {
    const { challenges, world } = newChallenges();
    const token = page(challenges);
    const solution = solve(token);
    const statusOf = async (fields: object, request = SOLVE, scope = scopeOf()) =>
      (await challenges.handle(request, posted(fields), scope)).status;
    const good = { token: token.token, solution };
    const wrong = solution.split(".").with(3, "zzzzz").join(".");
    assert.equal(await statusOf({ ...good, solution: wrong }), 403);
    assert.equal(await statusOf({ ...good, solution: `${solution}.1` }), 400);
    assert.equal(await statusOf({ token: token.token }), 400);
    assert.equal(await statusOf({ ...good, solution: "x".repeat(2_000) }), 413);
    assert.equal(await statusOf({ ...good, token: token.token.replace(/^1\.[^.]+/, "1.zzzzzzzz") }), 403);
    assert.equal(await statusOf(good, { ...SOLVE, host: "other.test" }), 403);
    assert.equal(await statusOf(good, SOLVE, scopeOf("other")), 403);
    world.now += 5 * MINUTE_MS;
    assert.equal(await statusOf(good), 403);
    world.now = START;
    assert.equal(await statusOf(good), 204);
  });

  it("is more work for odd requests and under load, within bounds", () => {
    const difficultyAt = (load: number, headers: GateRequest["headers"] = NAVIGATION) =>
      tokenIn(newChallenges(load).challenges.respond(requestOf("/a", { headers }), scopeOf(), REFERENCE)).difficulty;
    const { "accept-language": _language, ...odd } = NAVIGATION;
    assert.equal(difficultyAt(0), 2_048);
    assert.ok(difficultyAt(0, odd) > 2_048);
    assert.deepEqual([difficultyAt(1), difficultyAt(99)], [20_480, 20_480]);
  });
});

describe("a pass", () => {
  async function newPass(scheme: "http" | "https" = "http") {
    const made = newChallenges();
    const more = { scheme };
    const token = tokenIn(made.challenges.respond(requestOf("/a", more), scopeOf(), REFERENCE));
    const body = posted({ token: token.token, solution: solve(token) });
    const { headers } = await made.challenges.handle({ ...SOLVE, ...more }, body, scopeOf());
    const cookie = String(headers["set-cookie"]);
    const shown = (value = cookie.split(";")[0] ?? "", rest: Partial<GateRequest> = {}) =>
      requestOf("/a", { ...more, headers: { ...NAVIGATION, cookie: value }, ...rest });
    return { ...made, cookie, shown };
  }

  it("is a cookie of the host, good for an hour, on any address", async () => {
    const { challenges, cookie, shown, world } = await newPass();
    assert.match(cookie, /^reeve-pass=[\w.-]+; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/);
    assert.ok(challenges.hasPass(shown(), scopeOf()));
    assert.ok(challenges.hasPass(shown(undefined, { ip: "198.51.100.1" }), scopeOf()));
    assert.ok(challenges.hasPass(shown(`a=1; ${cookie.split(";")[0] ?? ""}; b=2`), scopeOf()));
    world.now += HOUR_MS - 1;
    assert.ok(challenges.hasPass(shown(), scopeOf()));
    world.now += 1;
    assert.ok(!challenges.hasPass(shown(), scopeOf()));
  });

  it("on https has the name that other hosts cannot set", async () => {
    assert.match((await newPass("https")).cookie, /^__Host-reeve-pass=.*; Secure$/);
  });

  it("is good for no other host, project or text, and for the day after its key", async () => {
    const { challenges, cookie, shown, world } = await newPass();
    const pass = cookie.split(";")[0] ?? "";
    assert.ok(!challenges.hasPass(shown(pass, { host: "other.test" }), scopeOf()));
    assert.ok(!challenges.hasPass(shown(pass), scopeOf("other")));
    assert.ok(!challenges.hasPass(shown(`${pass.slice(0, -1)}${pass.endsWith("A") ? "B" : "A"}`), scopeOf()));
    assert.ok(!challenges.hasPass(shown(pass.replace(/=1\.\w+/, "=1.zzzzzzzz")), scopeOf()));
    assert.ok(challenges.hasPass(shown(pass, { host: "SHOP.test:80" }), scopeOf()));
    world.now += HOUR_MS / 2;
    // The gate has got the bundle of the next day.
    assert.ok(challenges.hasPass(shown(pass), scopeOf("shop", TODAY)));
  });

  it("is issued with the last key when the control plane has been away for long", async () => {
    const { challenges, world } = newChallenges();
    world.now += 30 * DAY_MS;
    const token = tokenIn(challenges.respond(requestOf("/a"), scopeOf(), REFERENCE));
    const body = posted({ token: token.token, solution: solve(token) });
    assert.equal((await challenges.handle(SOLVE, body, scopeOf())).status, 204);
  });
});

describe("without script, and on the way back", () => {
  const get = (challenges: ReturnType<typeof newChallenges>["challenges"], target: string, cookie = "") =>
    challenges.handle(requestOf(target, { headers: { ...NAVIGATION, cookie } }), "", scopeOf());

  it("a browser gets the pass after it has waited, once", async () => {
    const { challenges, world } = newChallenges();
    const { token } = tokenIn(challenges.respond(requestOf("/a"), scopeOf(), REFERENCE));
    const url = `${BASE_PATH}/wait?token=${token}&return=%2Fa`;
    const early = await get(challenges, url);
    assert.deepEqual([early.status, early.headers["set-cookie"]], [403, undefined]);
    world.now += 10 * SECOND_MS;
    const waited = await get(challenges, url);
    assert.deepEqual([waited.status, waited.headers["location"]], [303, `${BASE_PATH}/continue?return=%2Fa`]);
    assert.equal((await get(challenges, url)).headers["set-cookie"], undefined);
    const [cookie = ""] = String(waited.headers["set-cookie"]).split(";");
    const back = await get(challenges, `${BASE_PATH}/continue?return=%2Fa`, cookie);
    assert.deepEqual([back.status, back.headers["location"]], [303, "/a"]);
  });

  it("a browser that refuses cookies is told, and not sent in circles", async () => {
    const { challenges } = newChallenges();
    const { status, headers, body } = await get(challenges, `${BASE_PATH}/continue?return=%2Fa`);
    assert.deepEqual([status, headers["location"]], [403, undefined]);
    assert.match(String(body), /cookie/i);
  });

  it("nobody is sent to another host", async () => {
    const { challenges, world } = newChallenges();
    world.now += SECOND_MS;
    for (const to of [
      "//evil.test",
      "/\\evil.test",
      "https://evil.test",
      "\\\\evil.test",
      "/a\r\nb: c",
      "evil",
      "/.well-known/reeve/challenge",
    ]) {
      const { body } = await get(challenges, `${BASE_PATH}?return=${encodeURIComponent(to)}`);
      assert.doesNotMatch(String(body), /evil/, to);
    }
  });

  it("what is not there or not meant so is refused", async () => {
    const { challenges } = newChallenges();
    const statusOf = async (method: string, target: string, body = "") =>
      (await challenges.handle(requestOf(target, { method }), body, scopeOf())).status;
    assert.equal(await statusOf("GET", `${BASE_PATH}/nothing`), 404);
    assert.equal(await statusOf("GET", `${BASE_PATH}/solve`), 405);
    assert.equal(await statusOf("POST", `${BASE_PATH}/solve`, "x".repeat(20_000)), 413);
    assert.equal(await statusOf("GET", `${BASE_PATH}/wait?token=${"a".repeat(500)}`), 400);
  });
});
