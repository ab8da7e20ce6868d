import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../../test/resources/api-keys.ts";
import { openVault } from "../../../../test/resources/secrets.ts";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { openSession } from "../../../../test/sign-in/open-session.ts";
import { sessionAsToken } from "../../../../test/sign-in/session-token.ts";
import { DAY_MS, HOUR_MS } from "../../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { clock, createTeam, createUser, readEvents, request } = api;

async function open(names: readonly string[] = ["ONE", "TWO", "THREE"]) {
  const owner = await createUser();
  const team = await createTeam(owner);
  const vault = openVault(api, owner.token, team.id);
  for (const name of names) await vault.add(name, { tags: ["old"] });
  const by = (token: string) => ({
    change: (body: object) => request("PATCH", `/v1/secrets?teamId=${team.id}`, { token, body }),
    remove: (...secrets: string[]) =>
      request("POST", `/v1/secrets/delete?teamId=${team.id}`, { token, body: { secrets } }),
  });
  const tags = async () => {
    const { secrets } = await vault.list("limit=100&sort=name");
    return Object.fromEntries(secrets.map(({ name, tags: of }: Body) => [name, of.join(" ")]));
  };
  const events = async (type: string) => (await readEvents(team.id)).filter((event) => event.type === type);
  return { owner, team, vault, by, ...by(owner.token), tags, events };
}

test("tags are added to some secrets and removed from them, with an event of each that differs", async () => {
  const { vault, change, tags, events } = await open();
  await vault.change("TWO", { tags: ["new", "kept"] });
  const { uid } = (await vault.read("TWO")).body;
  const before = (await events("secret-update")).length;
  const { status, body, text } = await change({ secrets: ["one", uid], addTags: ["new"], removeTags: ["old"] });
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.secrets.map(({ name, tags: of }: Body) => [name, of]),
    [
      ["ONE", ["new"]],
      ["TWO", ["new", "kept"]],
    ],
  );
  assert.deepEqual(await tags(), { ONE: "new", THREE: "old", TWO: "new kept" });
  const made = (await events("secret-update")).slice(before);
  assert.deepEqual(
    made.map(({ entityId }) => entityId),
    [body.secrets[0].uid],
    "TWO is as it was",
  );
  assert.deepEqual((await vault.list("tag=new")).secrets.length, 2);
  assert.deepEqual((await vault.list("tag=old")).secrets.length, 1);
});

test("the end of some secrets is set and taken away", async () => {
  const { vault, change, events } = await open();
  const end = clock.now + DAY_MS;
  const set = await change({ secrets: ["ONE", "THREE"], expiresAt: end });
  assert.deepEqual(
    set.body.secrets.map(({ expiresAt }: Body) => expiresAt),
    [end, end],
  );
  const found = async () =>
    (await vault.list(`expiresBefore=${end + 1}&sort=name`)).secrets.map(({ name }: Body) => name);
  assert.deepEqual(await found(), ["ONE", "THREE"]);
  await change({ secrets: ["ONE"], expiresAt: null });
  assert.deepEqual(await found(), ["THREE"]);
  assert.equal((await events("secret-update")).length, 3);
});

test("some secrets are deleted, each with an event, and can be restored", async () => {
  const { vault, remove, tags, events } = await open();
  const { status, body, text } = await remove("TWO", "ONE");
  assert.equal(status, 200, text);
  assert.deepEqual(
    body.deleted.map(({ name, purgeAt }: Body) => [name, purgeAt - clock.now]),
    [
      ["TWO", 7 * DAY_MS],
      ["ONE", 7 * DAY_MS],
    ],
  );
  assert.deepEqual(Object.keys(await tags()), ["THREE"]);
  const deletions = await events("secret-delete");
  assert.deepEqual(
    deletions.map(({ entityId }) => entityId).toSorted(),
    body.deleted.map(({ uid }: Body) => uid).toSorted(),
  );
  assert.equal((await vault.restore(body.deleted[0].uid)).status, 200);
  assert.deepEqual(Object.keys(await tags()), ["THREE", "TWO"]);
});

test("when one is refused, none is changed, and the refusal names it", async () => {
  const { vault, change, remove, tags, events } = await open();
  await vault.change("THREE", { name: "DREI", keepAlias: true });
  await vault.change("TWO", { tags: Array.from({ length: 20 }, (_, at) => `t${at}`) });
  const before = [await tags(), (await events("secret-update")).length];
  const past = clock.now - 1;
  for (const [body, status, code, field] of [
    [{ secrets: ["ONE", "NONE"], addTags: ["x"] }, 404, "not_found", "secrets[1]"],
    [{ secrets: ["ONE", "THREE"], addTags: ["x"] }, 409, "secret_is_alias", "secrets[1]"],
    [{ secrets: ["ONE", "one"], addTags: ["x"] }, 400, "bad_request", "secrets[1]"],
    [{ secrets: ["ONE", "TWO"], addTags: ["x"] }, 400, "bad_request", "addTags"],
    [{ secrets: ["ONE"], addTags: ["x"], removeTags: ["x"] }, 400, "bad_request", "removeTags"],
    [{ secrets: ["ONE"] }, 400, "bad_request", "addTags"],
    [{ secrets: ["ONE"], addTags: [] }, 400, "bad_request", "addTags"],
    [{ secrets: [], addTags: ["x"] }, 400, "bad_request", "secrets"],
    [{ secrets: Array.from({ length: 101 }, (_, at) => `S${at}`), addTags: ["x"] }, 400, "bad_request", "secrets"],
    [{ secrets: ["ONE", "TWO"], expiresAt: past }, 400, "invalid_expiry", "expiresAt"],
  ] as const) {
    const refused = await change(body);
    assert.deepEqual([refused.status, refused.body.error.code], [status, code], refused.text);
    assert.ok(refused.body.error.message.startsWith(`${field}: `), refused.body.error.message);
  }
  assert.equal((await remove("ONE", "NONE")).status, 404);
  assert.equal((await remove("ONE", "THREE")).body.error.code, "secret_is_alias");
  assert.equal((await remove("ONE", "ONE")).status, 400);
  assert.deepEqual([await tags(), (await events("secret-update")).length], before);
});

test("each caller changes what it could change one by one", async () => {
  const { owner, team, by, tags } = await open(["SHOP_A", "SHOP_B", "SITE"]);
  const keyOf = async (more: object) =>
    by((await createKey(api, owner.token, `?teamId=${team.id}`, { role: "MEMBER", ...more })).body.value);
  const narrow = await keyOf({ names: ["SHOP_*"] });
  assert.equal((await narrow.change({ secrets: ["SHOP_A", "SITE"], addTags: ["x"] })).status, 404);
  assert.equal((await narrow.remove("SITE")).status, 404);
  assert.equal((await narrow.change({ secrets: ["SHOP_A", "SHOP_B"], addTags: ["x"] })).status, 200);
  const reader = await keyOf({ permissions: ["secret:read"] });
  assert.equal((await reader.change({ secrets: ["SITE"], addTags: ["x"] })).status, 403);
  assert.equal((await reader.remove("SITE")).status, 403);
  const stranger = by((await createUser()).token);
  assert.equal((await stranger.remove("SITE")).status, 404);
  assert.deepEqual(await tags(), { SHOP_A: "old x", SHOP_B: "old x", SITE: "old" });
});

test("moving an end that has passed needs a fresh proof, and a tag does not", async () => {
  const { owner, vault, by, change } = await open();
  await change({ secrets: ["ONE", "TWO"], expiresAt: clock.now + HOUR_MS });
  const { session } = await openSession(api, owner);
  clock.advance(HOUR_MS);
  const person = by(sessionAsToken(session));
  const refused = await person.change({ secrets: ["THREE", "ONE"], expiresAt: null });
  assert.deepEqual([refused.status, refused.body.error.code], [403, "proof_required"], refused.text);
  assert.equal((await vault.read("ONE")).body.expiresAt, clock.now);
  assert.equal((await person.change({ secrets: ["THREE", "ONE"], addTags: ["x"] })).status, 200);
});
