// Passes that are made before they are needed, made by waiting, taken elsewhere, or hidden among forged ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  REFERENCE,
  attributeOf,
  cookieOf,
  createChallengeWorld,
  createScope,
  navigate,
  problemOf,
  textOf,
} from "../../../test/gate/challenge-world.ts";
import type { ChallengeWorld } from "../../../test/gate/challenge-world.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest } from "../message.ts";
import { waitUrl } from "./routes.ts";
import { TEXTS } from "./texts.ts";

const withCookie = (cookie: string, parts = {}): GateRequest => navigate({ ...parts, headers: { cookie } });
const attackSince = (since: number, activeUntil: number | null = null) =>
  createScope({ attackMode: { isEnabled: true, activeUntil, since } });

/** A pass for a solution, by a gate with this bundle when the page is sent. */
async function passOf({ issue, solve }: ChallengeWorld, scope = createScope()): Promise<string> {
  return cookieOf(await solve(issue(navigate(), scope), {}, scope));
}

test("passes of before an attack do not count in it, and those of the attack do, also when its end is put off", async () => {
  const world = createChallengeWorld();
  const { challenges, clock, scope } = world;
  const before = await passOf(world);
  const fields = world.issue();
  clock.now += MINUTE_MS;
  const attack = attackSince(clock.now, clock.now + 10 * MINUTE_MS);
  assert.ok(!challenges.hasPass(withCookie(before), attack));
  assert.equal(problemOf(await world.solve(fields, {}, attack))["code"], "expired");
  const elsewhere = cookieOf(await world.solve(fields, {}, scope));
  assert.ok(!challenges.hasPass(withCookie(elsewhere), attack), "a gate that has not heard of the attack");
  const during = await passOf(world, attack);
  assert.ok(challenges.hasPass(withCookie(during), attack));
  assert.ok(challenges.hasPass(withCookie(`${before}; ${during}`), attack));
  assert.ok(!challenges.hasPass(withCookie(during.replace(/\.[0-9a-z]+\.(?=[\w-]{43}$)/, ".0.")), scope), "forged");
  const longer = attackSince(clock.now, clock.now + HOUR_MS);
  clock.now += 20 * MINUTE_MS;
  assert.ok(challenges.hasPass(withCookie(during), longer));
  for (const pass of [before, elsewhere, during]) {
    assert.ok(challenges.hasPass(withCookie(pass), attack), "the attack has ended");
    assert.ok(challenges.hasPass(withCookie(pass), scope), "the attack has ended");
    assert.ok(!challenges.hasPass(withCookie(pass), attackSince(clock.now)), "another attack");
  }
});

test("clocks of gates that differ from that of the control plane let nobody in too early, and lock nobody out", async () => {
  for (const skew of [-2 * HOUR_MS, -MINUTE_MS, MINUTE_MS, 2 * HOUR_MS]) {
    const world = createChallengeWorld();
    const before = await passOf(world);
    const attack = attackSince(world.clock.now + skew);
    assert.ok(!world.challenges.hasPass(withCookie(before), attack));
    assert.ok(world.challenges.hasPass(withCookie(await passOf(world, attack)), attack));
  }
});

test("a control plane of before, which does not say since when, has all passes count", async () => {
  const world = createChallengeWorld();
  const attack = createScope({ attackMode: { isEnabled: true, activeUntil: null } });
  for (const pass of [await passOf(world), await passOf(world, attack)]) {
    assert.ok(world.challenges.hasPass(withCookie(pass), attack));
  }
});

test("waiting gives a network ten passes at once and one a minute, and then explains itself", async () => {
  const { challenges, scope, clock, get } = createChallengeWorld();
  const tokens = Array.from({ length: 60 }, () =>
    attributeOf(challenges.respond(navigate(), scope, REFERENCE), "data-token"),
  );
  clock.now += MINUTE_MS;
  const waitAt = async (ip: string | undefined, language = "en") =>
    await get(waitUrl(tokens.pop() as string, "/cart"), { ip, headers: { "accept-language": language } });
  const inTurn = async (addresses: readonly (string | undefined)[]) => {
    const statuses: number[] = [];
    for (const ip of addresses) statuses.push((await waitAt(ip)).status);
    return statuses.toSorted();
  };
  const tenOf = (last: number) => [...Array<number>(10).fill(303), ...Array<number>(last).fill(429)];
  const v4 = Array.from({ length: 15 }, (_, at) => (at % 2 === 0 ? `203.0.113.${at}` : `::ffff:203.0.113.${at}`));
  const v6 = Array.from({ length: 12 }, (_, at) => `2001:db8:0:7:${at}::1`);
  assert.deepEqual(await inTurn(v4), tenOf(5));
  assert.deepEqual(await inTurn(v6), tenOf(2));
  assert.deepEqual(await inTurn(Array<undefined>(11).fill(undefined)), tenOf(1));
  assert.deepEqual(await inTurn(["203.0.114.1", "2001:db8:0:8::1"]), [303, 303]);
  const crowded = await waitAt(v4[0], "de");
  assert.deepEqual(
    [crowded.status, crowded.headers["retry-after"], crowded.headers["set-cookie"]],
    [429, "60", undefined],
  );
  assert.ok(textOf(crowded).includes(TEXTS.de.crowded));
  assert.match(textOf(crowded), /href="\/cart"/);
  clock.now += MINUTE_MS;
  assert.deepEqual(await inTurn(v4.slice(0, 2)), [303, 429]);
});

test("addresses that embed an IPv4 address wait as its network, and others of their prefix do not", async () => {
  const { challenges, scope, clock, get } = createChallengeWorld();
  const tokens = Array.from({ length: 13 }, () =>
    attributeOf(challenges.respond(navigate(), scope, REFERENCE), "data-token"),
  );
  clock.now += MINUTE_MS;
  const statusAt = async (ip: string) => (await get(waitUrl(tokens.pop() as string, "/"), { ip })).status;
  // 203.0.113.N behind NAT64, by 6to4, mapped, and as it is.
  const forms = (last: number) => {
    const hex = last.toString(16).padStart(2, "0");
    return [`64:ff9b::cb00:71${hex}`, `2002:cb00:71${hex}:${last}::1`, `::ffff:cb00:71${hex}`, `203.0.113.${last}`];
  };
  const ten = [...forms(1), ...forms(2), ...forms(3).slice(0, 2)];
  for (const ip of ten) assert.equal(await statusAt(ip), 303, ip);
  assert.equal(await statusAt("64:ff9b::cb00:7104"), 429);
  for (const ip of ["64:ff9b::cb00:7201", "2002:cb00:7201::1"]) assert.equal(await statusAt(ip), 303, ip);
});

test("who turned away for waiting keeps the challenge, and who solves is not counted", async () => {
  const { issue, clock, get, solve } = createChallengeWorld();
  const waits = Array.from({ length: 11 }, () => issue());
  clock.now += MINUTE_MS;
  for (const { token } of waits) await get(waitUrl(token, "/"));
  const last = waits.at(-1) as { token: string; solution: string };
  assert.equal((await get(waitUrl(last.token, "/"))).status, 429);
  assert.equal((await solve(last)).status, 204);
});

test("what was made on http counts on http alone, and the other way round", async () => {
  const { challenges, scope, pass, issue, solve, clock, get } = createChallengeWorld();
  for (const [own, other] of [
    ["http", "https"],
    ["https", "http"],
  ] as const) {
    const value = (await pass({ scheme: own })).split("=")[1] as string;
    for (const name of ["reeve-pass", "__Host-reeve-pass"]) {
      assert.ok(!challenges.hasPass(withCookie(`${name}=${value}`, { scheme: other }), scope), `${own} ${name}`);
    }
    const fields = issue(navigate({ scheme: own }));
    assert.equal(problemOf(await solve(fields, { scheme: other }))["code"], "forged");
    clock.now += MINUTE_MS;
    assert.equal((await get(waitUrl(fields.token, "/"), { scheme: other })).status, 403);
    assert.equal((await solve(fields, { scheme: own })).status, 204);
  }
});

test("cookies of sibling hosts cannot hide a pass, however many a browser keeps of them", async () => {
  const { challenges, scope, pass, clock } = createChallengeWorld();
  const http = { scheme: "http" } as const;
  const own = await pass(http);
  const value = own.slice(own.indexOf("=") + 1);
  const forged = (at: number) => `reeve-pass=${value.slice(0, -43)}${String(at).padStart(43, "A")}`;
  const countsAmong = (others: readonly string[]) =>
    challenges.hasPass(withCookie([...others, own].join("; "), http), scope);
  const elsewhere = await pass({ ...http, host: "other.example" });
  assert.ok(countsAmong(Array.from({ length: 179 }, (_, at) => forged(at))));
  assert.ok(countsAmong(Array<string>(500).fill(forged(0))), "one value, sent for many paths");
  assert.ok(countsAmong(Array<string>(500).fill(elsewhere)));
  assert.ok(countsAmong(Array.from({ length: 500 }, (_, at) => `reeve-pass=${at}`)));
  assert.ok(countsAmong(Array.from({ length: 500 }, (_, at) => `reeve-pass=2.${at}.0.${"A".repeat(43)}`)), "too old");
  const split = [...Array.from({ length: 100 }, (_, at) => forged(at)), own];
  assert.ok(challenges.hasPass(navigate({ ...http, headers: { cookie: split } }), scope));
  assert.ok(!countsAmong(Array.from({ length: 180 }, (_, at) => forged(at))), "more signatures are not compared");
  clock.now += HOUR_MS;
  assert.ok(!countsAmong([]));
});
