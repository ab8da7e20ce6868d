// Exports of the feed through HTTP: every format has the same events as the pages.
import assert from "node:assert/strict";
import { hash as hashText } from "node:crypto";
import { before, describe, it } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestResponse, Body, TestTeam, TestUser } from "../../../../test/harness/test-app.ts";
import { openFeed, sequencesOf } from "../../../../test/resources/event-feed.ts";

const app = await startOwnApp();
const { request, createUser, createTeam, clock } = app;
const { plant, find } = openFeed(app);

const NDJSON = "application/x-ndjson";

let user: TestUser;
let other: TestUser;
let team: TestTeam;

async function exportAs(accept: string, query: string, who = user, path = "/v3/events/export"): Promise<TestResponse> {
  return await request("GET", `${path}?teamId=${team.id}${query}`, { token: who.token, headers: { accept } });
}

function linesOf({ text }: TestResponse): string[] {
  assert.ok(text === "" || text.endsWith("\n"));
  return text.split("\n").slice(0, -1);
}

async function exportEvents(query: string): Promise<Body[]> {
  const response = await exportAs(NDJSON, query);
  assert.equal(response.status, 200, response.text);
  assert.equal(response.headers["content-type"], `${NDJSON}; charset=utf-8`);
  assert.equal(response.headers["link"], undefined);
  return linesOf(response).map((line): Body => JSON.parse(line));
}

async function countEvents(): Promise<number> {
  const [head] = await app.query(`select sequence from owners where id = '${team.id}'`);
  return Number(head?.["sequence"]);
}

/** Reads all matches, page by page. */
async function readPages(query: string): Promise<Body[]> {
  const seen: Body[] = [];
  const start = Number(new URLSearchParams(query).get("after") ?? "0");
  const rest = query.replace(/&after=\d+/, "");
  for (let after = start; ; after = seen.at(-1).sequence) {
    const events = await find(user, team, `${rest}&limit=250&after=${after}`);
    if (events.length === 0) return seen;
    seen.push(...events);
  }
}

before(async () => {
  [user, other] = [await createUser(), await createUser()];
  team = await createTeam(user);
  const kinds = [
    { type: "team-member-join", by: other, entityId: other.id },
    {
      type: "team-name-update",
      by: user,
      payload: { projectId: "prj_a" },
      previous: { name: "A" },
      next: { name: "B" },
    },
    { type: "user-token-created", by: { keyId: "key_1", keyName: "deploy" }, payload: { projectId: "prj_b" } },
    { type: "secret-add", text: 'said "hi"\n\u2028 and 🙂 left\\', payload: { a: { "1": [null, 0.1, "\u0007"] } } },
  ] as const;
  // More than fits into one chunk, by number and by size.
  for (let round = 0; round < 3; round++) {
    await plant(
      team,
      Array.from({ length: 500 }, (_, index) => kinds[index % kinds.length] as (typeof kinds)[number]),
    );
    clock.advance(1000);
  }
  await plant(
    team,
    Array.from({ length: 6 }, (_, index) => ({ payload: { big: String(index).repeat(250_000) } })),
  );
});

describe("an export as NDJSON", () => {
  it("has the events of the pages, oldest first, for every filter", async () => {
    const { now } = clock;
    for (const query of [
      "",
      "&withPayload=true",
      "&types=team-*",
      "&types=secret-add&withPayload=true",
      `&principalId=${other.id}`,
      `&entityId=${other.id}`,
      "&projectIds=prj_a,prj_b",
      `&projectIds=prj_b&types=user-*&principalId=key_1`,
      "&after=700",
      "&before=700",
      "&after=1490&before=1503&withPayload=true",
      `&since=${now - 2500}&until=${now - 1500}`,
      "&types=web-analytics-tier-updated",
      "&after=99999",
      "&until=1999-12-31",
    ]) {
      assert.deepEqual(await exportEvents(query), await readPages(query), query);
    }
  });

  it("has at most `limit` events", async () => {
    assert.deepEqual(sequencesOf(await exportEvents("&limit=3")), [1, 2, 3]);
    assert.deepEqual(sequencesOf(await exportEvents("&limit=2&after=1500")), [1501, 1502]);
    assert.equal((await exportEvents("&limit=900")).length, 900);
  });

  it("ends at the event that was the newest when it began", async () => {
    const { server } = app.app;
    const response = await server.inject({
      url: `/v3/events/export?teamId=${team.id}`,
      headers: { authorization: `Bearer ${user.token}`, accept: NDJSON },
      payloadAsStream: true,
    });
    const stream = response.stream();
    let text = "";
    for await (const chunk of stream) {
      if (text === "") await plant(team, [{}]);
      text += String(chunk);
    }
    assert.equal(text.split("\n").length - 1, (await countEvents()) - 1);
  });

  it("is refused like a page, before the response begins", async () => {
    for (const [query, field] of [
      ["&types=team-member-jion", "query.types"],
      ["&since=yesterday", "query.since"],
      ["&since=2030-02-30", "query.since"],
      ["&until=2030-04-31T12:00Z", "query.until"],
      ["&after=-1", "query.after"],
    ] as const) {
      const { status, body } = await exportAs(NDJSON, query);
      assert.deepEqual([status, body.error.field], [400, field]);
    }
    const response = await exportAs(NDJSON, "", other);
    assert.deepEqual([response.status, response.body.error.code], [404, "not_found"]);
  });

  it("has the same headers for HEAD", async () => {
    const options = { token: user.token, headers: { accept: NDJSON } };
    const response = await request("HEAD", `/v3/events/export?teamId=${team.id}`, options);
    assert.deepEqual([response.status, response.text], [200, ""]);
    assert.equal(response.headers["content-type"], `${NDJSON}; charset=utf-8`);
    assert.equal(response.headers["content-length"], undefined);
    assert.equal((await request("HEAD", "/v3/events/export?types=x", options)).status, 400);
  });
});

const typeOf = async (accept: string, path?: string) =>
  (await exportAs(accept, "&limit=1", user, path)).headers["content-type"];

describe("the format of an export", () => {
  it("is NDJSON unless the client prefers CSV", async () => {
    for (const accept of [
      "",
      "*/*",
      "application/*",
      `text/csv;q=0.9, ${NDJSON}`,
      `Application/X-NDJSON;charset=utf-8`,
    ]) {
      assert.equal(await typeOf(accept), `${NDJSON}; charset=utf-8`, accept);
    }
    for (const accept of ["text/csv", "text/*", `${NDJSON};q=0, */*`]) {
      assert.equal(await typeOf(accept), "text/csv; charset=utf-8", accept);
    }
  });

  it("is refused when there is no such format", async () => {
    for (const accept of ["text/html", "application/json", "application/xml, image/*", `${NDJSON};q=0`]) {
      const { status, body } = await exportAs(accept, "");
      assert.deepEqual([status, body.error.code, body.error.field], [406, "not_acceptable", "Accept"], accept);
      assert.match(body.error.message, /expected application\/x-ndjson or text\/csv/);
    }
  });
});

describe("the deprecated way to export", () => {
  const path = "/v3/events";

  it("returns JSON unless the client prefers another format", async () => {
    for (const accept of [
      "*/*",
      "application/json",
      "application/*",
      "application/problem+json",
      "application/json, text/plain, */*",
      "text/html, application/xhtml+xml, */*;q=0.8",
      `application/json, ${NDJSON}`,
      `application/json, ${NDJSON};q=0.9`,
      `${NDJSON};q=0, */*`,
    ]) {
      assert.equal(await typeOf(accept, path), "application/json; charset=utf-8", accept);
    }
    for (const accept of [NDJSON, `Application/X-NDJSON;charset=utf-8`, `${NDJSON}, */*`, `*/*;q=0.1, ${NDJSON}`]) {
      assert.equal(await typeOf(accept, path), `${NDJSON}; charset=utf-8`, accept);
    }
  });

  it("returns the same", async () => {
    for (const accept of [NDJSON, "text/csv"]) {
      const now = await exportAs(accept, "&types=team-*");
      assert.equal((await exportAs(accept, "&types=team-*", user, path)).text, now.text);
    }
    const chain = await exportAs(NDJSON, "&form=chain", user, path);
    assert.equal(chain.text, (await exportAs(NDJSON, "&form=chain")).text);
    assert.equal((await exportAs("*/*", "&form=chain", user, path)).body.error.field, "query.form");
  });
});

describe("the columns of the chain", () => {
  it("can be verified, from the first event or from any other", async () => {
    const { hash: hashBefore } = (await exportEvents("&after=699&before=701"))[0];
    for (const [query, first, start] of [
      ["", 1, ""],
      ["&after=700", 701, hashBefore],
    ]) {
      const lines = linesOf(await exportAs(NDJSON, `&form=chain${query}`));
      let previous = start;
      for (const [index, line] of lines.entries()) {
        const { columns, hash } = JSON.parse(line) as { columns: unknown[]; hash: string };
        const [ownerId, sequence] = columns;
        assert.deepEqual([ownerId, sequence], [team.id, Number(first) + index]);
        previous = hashText("sha256", `${previous}\n${JSON.stringify(columns)}`, "hex");
        assert.equal(hash, previous);
      }
      assert.equal(lines.length, (await countEvents()) - Number(first) + 1);
    }
  });

  it("accept no filter, and are NDJSON only", async () => {
    for (const query of ["types=team", "since=0", "limit=1", "withPayload=true", "principalId=x", "projectIds=a"]) {
      const { status, body } = await exportAs(NDJSON, `&form=chain&${query}`);
      assert.deepEqual([status, body.error.field], [400, `query.${query.split("=")[0]}`]);
    }
    const { status, body } = await exportAs("text/csv", "&form=chain");
    assert.deepEqual([status, body.error.field], [400, "query.form"]);
  });
});
