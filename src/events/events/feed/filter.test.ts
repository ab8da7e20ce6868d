// Every filter of the feed, alone and combined, on a chain of six events.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../../test/harness/test-app.ts";
import { downFrom, openFeed, sequencesOf } from "../../../../test/resources/event-feed.ts";

const app = await startTestApp();
const { createUser, createTeam } = app;
const { plant, list, find } = openFeed(app);

describe("filters", () => {
  let user: TestUser;
  let other: TestUser;
  let team: TestTeam;
  const read = async (query: string) => sequencesOf(await find(user, team, query));

  before(async () => {
    [user, other] = [await createUser(), await createUser()];
    team = await createTeam(user);
    await plant(team, [
      { type: "team-member-join", by: other, entityId: other.id },
      { type: "team-member-leave", by: other, entityId: other.id },
      { type: "team-name-update", by: user, payload: { projectId: "prj_a" } },
      { type: "team-member-join", by: user, entityId: other.id, payload: { projectId: "prj_b" } },
      { type: "user-token-created", by: user, payload: { projectId: "prj_a" } },
    ]);
  });

  it("are refused when a list has no item, which would mean all", async () => {
    for (const name of ["types", "type", "projectIds"]) {
      for (const text of [",", "%20", "%2C%20,", ",,"]) {
        const path = `/v3/events?teamId=${team.id}&${name}=${text}`;
        const { status, body } = await app.request("GET", path, { token: user.token });
        assert.deepEqual([status, body.error?.code, body.error?.field], [400, "invalid_query", `query.${name}`], text);
      }
    }
  });

  it("accept types by name and by glob", async () => {
    assert.deepEqual(await read(""), [6, 5, 4, 3, 2, 1]);
    assert.deepEqual(await read("&types=team-member-join"), [5, 2]);
    assert.deepEqual(await read("&types=team-member-join,team"), [5, 2, 1]);
    assert.deepEqual(await read("&types=team-*"), [5, 4, 3, 2]);
    assert.deepEqual(await read("&type=*-join&types=user-*"), [6, 5, 2]);
    assert.deepEqual(await read("&types=team-*-leave"), [3]);
    assert.deepEqual(await read("&types=*"), [6, 5, 4, 3, 2, 1]);
  });

  it("accept names that public clients send and Reeve never records", async () => {
    assert.deepEqual(await read("&types=deployment-creation-blocked"), []);
    assert.deepEqual(await read("&types=web-analytics-tier-updated,team"), [1]);
    assert.deepEqual(await read("&types=deployment*&entityId=x"), []);
    assert.deepEqual(await read("&types=domain.certificate-add,team"), [1], "as Terraform spells it");
  });

  it("refuse an unknown name, with suggestions", async () => {
    for (const [query, field, meant] of [
      ["types=team-member-jion", "types", "team-member-join"],
      ["type=team,webhok-*", "type", "webhook-created"],
    ]) {
      const { status, body } = await list(user, team, `&${query}`);
      assert.equal(status, 400);
      assert.equal(body.error.code, "invalid_query");
      assert.ok(body.error.message.startsWith(`${field}: `), body.error.message);
      if (field === "types") assert.ok(body.error.message.includes(`"${meant}"`), body.error.message);
    }
  });

  it("accept the id of the actor, under both parameter names", async () => {
    assert.deepEqual(await read(`&principalId=${other.id}`), [3, 2]);
    assert.deepEqual(await read(`&userId=${other.id}`), [3, 2]);
    assert.deepEqual(await read(`&principalId=${other.id}&userId=${user.id}`), [3, 2]);
    assert.deepEqual(await read("&principalId=nobody"), []);
  });

  it("accept the ids of the resource and of projects", async () => {
    assert.deepEqual(await read(`&entityId=${other.id}`), [5, 3, 2]);
    assert.deepEqual(await read("&projectIds=prj_a"), [6, 4]);
    assert.deepEqual(await read("&projectIds=prj_a,prj_b"), [6, 5, 4]);
    const { status, body } = await list(user, team, `&projectIds=${downFrom(21).join()}`);
    assert.deepEqual([status, body.error.field], [400, "query.projectIds"]);
  });

  it("combine, in both directions", async () => {
    assert.deepEqual(await read(`&principalId=${user.id}&types=team-*`), [5, 4]);
    assert.deepEqual(await read(`&entityId=${other.id}&principalId=${user.id}`), [5]);
    assert.deepEqual(await read(`&entityId=${other.id}&projectIds=prj_b,prj_c`), [5]);
    assert.deepEqual(await read(`&entityId=${other.id}&projectIds=prj_a`), []);
    assert.deepEqual(await read(`&projectIds=prj_a&principalId=${user.id}&type=user-*`), [6]);
    assert.deepEqual(await read(`&projectIds=prj_a&principalId=${other.id}`), []);
    assert.deepEqual(await read(`&principalId=${user.id}&after=1&before=6`), [4, 5]);
    assert.deepEqual(await read("&types=team*&after=0&limit=2"), [1, 2]);
  });

  it("find what has all of several ids, and nothing else, in any order of events", async () => {
    const [owner, one, two] = [await createUser(), await createUser(), await createUser()];
    const own = await createTeam(owner);
    let state = 1;
    const pick = <T>(items: readonly T[]) => items[(state = (state * 48_271) % 2_147_483_647) % items.length] as T;
    const facts = Array.from({ length: 300 }, (_, n) => ({
      sequence: n + 2,
      type: pick(["avatar", "team-name-update", "user-token-created"] as const),
      by: pick([one, two]),
      // In turns, at first: neither has what the other has.
      entityId: n < 30 ? `e${n % 2}` : pick(["e0", "e1", "e2"]),
      projectId: pick(["p0", "p1", null]),
    }));
    await plant(
      own,
      facts.map(({ type, by, entityId, projectId }) => ({
        type,
        by,
        entityId,
        payload: projectId ? { projectId } : {},
      })),
    );
    for (const types of [[], ["avatar"], ["avatar", "user-token-created"]]) {
      for (const entity of [null, "e0", "e2", "none"]) {
        for (const projects of [[], ["p1"], ["p0", "p1"], ["p1", "none"]]) {
          for (const by of [null, one]) {
            const query = [
              types.length > 0 && `types=${types.join()}`,
              entity && `entityId=${entity}`,
              projects.length > 0 && `projectIds=${projects.join()}`,
              by && `principalId=${by.id}`,
            ].filter(Boolean);
            if (query.length === 0) continue;
            const expected = facts
              .filter((fact) => types.length === 0 || types.includes(fact.type))
              .filter((fact) => entity === null || fact.entityId === entity)
              .filter((fact) => projects.length === 0 || projects.includes(fact.projectId ?? ""))
              .filter((fact) => by === null || fact.by === by)
              .map(({ sequence }) => sequence);
            const seen = async (more: string) => sequencesOf(await find(owner, own, `&${query.join("&")}${more}`));
            assert.deepEqual(await seen("&limit=250"), expected.toReversed().slice(0, 250), query.join("&"));
            // On SQLite, those up to 256 are in an index, and those above in none.
            for (const [above, below, limit] of [
              [20, 90, 5],
              [240, 270, 5],
              [200, 290, 250],
              [256, 290, 5],
            ] as const) {
              const between = expected.filter((sequence) => sequence > above && sequence < below).slice(0, limit);
              const range = `&after=${above}&before=${below}&limit=${limit}`;
              assert.deepEqual(await seen(range), between, query.join("&"));
            }
            const newest = expected.filter((sequence) => sequence < 270).toReversed();
            assert.deepEqual(await seen("&before=270&limit=20"), newest.slice(0, 20), query.join("&"));
          }
        }
      }
    }
  });

  it("find all events of a resource, types of a newer Reeve included, with any number of types", async () => {
    const [owner, person] = [await createUser(), await createUser()];
    const own = await createTeam(owner);
    const newer = "secret-transfer" as never;
    const about = { by: person, entityId: person.id, payload: { projectId: "prj_a" } };
    await plant(own, [{}, { ...about, type: newer }, { ...about, type: "avatar" }, { ...about, type: newer }]);
    const leads = [`entityId=${person.id}`, "projectIds=prj_a,prj_b", `principalId=${person.id}`];
    for (const lead of leads) {
      const seen = async (query: string) => sequencesOf(await find(owner, own, `&${lead}${query}`));
      assert.deepEqual(await seen(""), [5, 4, 3]);
      assert.deepEqual(await seen("&types=a*,team*,deployment*"), [4]);
      assert.deepEqual(await seen("&types=team*,deployment*"), []);
      assert.deepEqual(await seen("&after=0&limit=2"), [3, 4]);
    }
    assert.deepEqual(await find(owner, own, `&entityId=${person.id}&projectIds=prj_b`), []);
  });

  it("accept timestamps as ms and as ISO 8601, both inclusive", async () => {
    const [, , fourth, third] = await find(user, team, "");
    const iso = (ms: number) => new Date(ms).toISOString();
    assert.deepEqual(await read(`&since=${fourth.createdAt}`), [6, 5, 4]);
    assert.deepEqual(await read(`&since=${fourth.createdAt + 1}`), [6, 5]);
    assert.deepEqual(await read(`&until=${third.createdAt}`), [3, 2, 1]);
    assert.deepEqual(await read(`&until=${third.createdAt - 1}`), [2, 1]);
    assert.deepEqual(await read(`&since=${iso(third.createdAt)}&until=${iso(fourth.createdAt)}`), [4, 3]);
    assert.deepEqual(await read(`&since=${iso(fourth.createdAt).replace("Z", "%2B00:00")}`), [6, 5, 4]);
    assert.deepEqual(await read(`&since=${iso(fourth.createdAt).replace("Z", "")}`), [6, 5, 4]);
    assert.deepEqual(await read(`&since=${third.createdAt - 0.5}&types=team-member-leave`), [3]);
    assert.deepEqual(await read(`&since=${fourth.createdAt}&until=${third.createdAt}`), []);
    assert.deepEqual(await read("&until=1999-12-31"), []);
  });

  it("refuse invalid timestamps, invalid numbers and unknown parameters", async () => {
    for (const query of [
      "since=yesterday",
      "until=2030-13-01",
      "since=1e3",
      "until=-1",
      "limit=0",
      "limit=251",
      "limit=abc",
      "after=-1",
      "before=1.5",
      "withPayload=1",
      "sort=asc",
    ]) {
      const { status, body } = await list(user, team, `&${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.error.code, "invalid_query");
      assert.equal(body.error.field, `query.${query.split("=")[0]}`);
    }
  });
});
