// Exports for spreadsheets through HTTP: a parser of RFC 4180 reads back every text, and no cell is a formula.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestResponse, TestTeam, TestUser } from "../../../../test/harness/test-app.ts";
import { openFeed } from "../../../../test/resources/event-feed.ts";

const app = await startOwnApp();
const { request, createUser, createTeam, clock } = app;
const { plant, find } = openFeed(app);

const TEXTS = [
  "=1+1",
  "+cmd|' /C calc'!A0",
  "-2",
  "@SUM(A1)",
  "\ttab",
  "\rreturn",
  "\nline",
  "＝HYPERLINK(A1)",
  'said "hi", twice',
  "two\r\nlines",
  'ends with "',
  " spaces ",
  ",",
  "",
  "plain = text + more",
  "🙂 \u2028 ü",
];

/** Texts that are cells of their own where a spreadsheet splits at another separator: in most locales of Europe at semicolons. */
const SPLIT_TEXTS = [
  ["a;=1+1", "a;'=1+1"],
  ["a\t=1+1", "a\t'=1+1"],
  ["a,=1+1", "a,'=1+1"],
  ["a|=1+1", "a|'=1+1"],
  ["a;; -1", "a;; '-1"],
  ['a;"=1+1"', `a;"'=1+1"`],
  ['a";=1+1', `a";'=1+1`],
  ["a\n+1", "a\n'+1"],
  ["a\r\n@SUM(A1)", "a\r\n'@SUM(A1)"],
  ["a;\t＝HYPERLINK(A1)", "a;\t'＝HYPERLINK(A1)"],
  ["a;\u200b=1+1", "a;\u200b'=1+1"],
  ["a؛=1+1", "a؛'=1+1"],
  ["a،@SUM(A1)", "a،'@SUM(A1)"],
  ["a；＝1+1", "a；'＝1+1"],
  ["a，-1", "a，'-1"],
  ["a\u2028=1+1", "a\u2028'=1+1"],
  ["a\u0085=1+1", "a\u0085'=1+1"],
  ["a\v=1+1", "a\v'=1+1"],
  ['"=1+1', `"'=1+1`],
  [" =1+1", " '=1+1"],
  ["a; b, c | d = e - f", "a; b, c | d = e - f"],
] as const;

let user: TestUser;
let team: TestTeam;

async function exportCsv(query = ""): Promise<TestResponse> {
  const headers = { accept: "text/csv" };
  return await request("GET", `/v3/events/export?teamId=${team.id}${query}`, { token: user.token, headers });
}

/** Parses records strictly by the grammar of RFC 4180. */
function readCsv(text: string): string[][] {
  const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const records: string[][] = [];
  let record: string[] = [];
  while (CELL.lastIndex < text.length) {
    const found = CELL.exec(text);
    assert.ok(found, `no cell at ${JSON.stringify(text.slice(CELL.lastIndex))}`);
    const [, quoted, bare = "", end] = found;
    record.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === ",") continue;
    records.push(record);
    record = [];
  }
  assert.deepEqual(record, []);
  return records;
}

/** Parses rows into objects by column name. */
function readRows({ text }: TestResponse): Record<string, string>[] {
  const [names, ...records] = readCsv(text) as [string[], ...string[][]];
  return records.map((cells) => {
    assert.equal(cells.length, names.length);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] as string]));
  });
}

before(async () => {
  user = await createUser();
  team = await createTeam(user);
  await plant(
    team,
    TEXTS.map((text) => ({
      by: { keyId: "key_1", keyName: text },
      entityId: text,
      payload: { text, projectId: text },
    })),
  );
  await plant(team, [{ by: user, previous: { name: "A" } }]);
});

describe("an export as CSV", () => {
  it("has a header and the members of the events", async () => {
    const response = await exportCsv();
    assert.equal(response.headers["content-type"], "text/csv; charset=utf-8");
    const names =
      "sequence,id,createdAt,type,text,principalType,principalId,principalName,principalEmail,userId,tokenId,channel," +
      "requestId,clientRequestId,entityId,projectId,hash";
    assert.ok(response.text.startsWith(`${names}\r\n`));
    const last = readRows(response).at(-1);
    const [event] = await find(user, team, "&limit=1");
    assert.deepEqual(last, {
      sequence: String(event.sequence),
      id: event.id,
      createdAt: new Date(clock.now + 1 + TEXTS.length).toISOString(),
      type: event.type,
      text: event.text,
      principalType: "user",
      principalId: user.id,
      principalName: user.username,
      principalEmail: user.email,
      userId: user.id,
      tokenId: event.tokenId,
      channel: event.channel,
      requestId: event.requestId,
      clientRequestId: "",
      entityId: event.entityId,
      projectId: "",
      hash: event.hash,
    });
    const [withPayload] = readRows(await exportCsv(`&withPayload=true&after=${event.sequence - 1}`));
    assert.ok(withPayload);
    const { ip, userAgent, payload, previous, next } = withPayload;
    assert.deepEqual(
      { ip, userAgent, payload, previous, next },
      {
        ip: "192.0.2.1",
        userAgent: "test/1",
        payload: "{}",
        previous: '{"name":"A"}',
        next: "",
      },
    );
  });

  it("preserves every text, and contains no formula", async () => {
    const rows = readRows(await exportCsv(`&withPayload=true&after=1&before=${TEXTS.length + 2}`));
    assert.equal(rows.length, TEXTS.length);
    for (const [index, text] of TEXTS.entries()) {
      const row = rows[index] as Record<string, string>;
      const isFormula = index < 8;
      const expected = isFormula ? `'${text}` : text;
      assert.deepEqual([row["entityId"], row["projectId"], row["principalName"]], [expected, expected, expected]);
      assert.deepEqual(JSON.parse(row["payload"] as string), { text, projectId: text });
    }
    for (const cell of rows.flatMap((row) => Object.values(row))) assert.doesNotMatch(cell, /^[=+\-@\t\r\n＝]/);
  });

  it("has no formula wherever a spreadsheet splits it, and quotes the separators of all locales", async () => {
    const split = await createTeam(user);
    const planted = SPLIT_TEXTS.map(([text]) => ({
      by: { keyId: "key_1", keyName: text },
      entityId: text,
      payload: { text, list: [text, -1, "-1"], [text]: 0 },
    }));
    await plant(split, planted);
    const headers = { accept: "text/csv" };
    const path = `/v3/events/export?teamId=${split.id}&withPayload=true&after=1`;
    const response = await request("GET", path, { token: user.token, headers });
    const rows = readRows(response);
    for (const [index, [text, expected]] of SPLIT_TEXTS.entries()) {
      const row = rows[index] as Record<string, string>;
      assert.deepEqual([row["entityId"], row["principalName"]], [expected, expected]);
      assert.deepEqual(JSON.parse(row["payload"] as string), { text, list: [text, -1, "-1"], [text]: 0 });
    }
    // As programs read it that take the quotes for text, or split at another separator than the comma.
    for (const separator of [";", "\t", "|", ",", "؛", "،", "；", "，"]) {
      for (const cell of response.text
        .split(/\r\n|[\r\n\v\f\u0085\u2028\u2029]/)
        .flatMap((line) => line.split(separator))) {
        assert.doesNotMatch(cell, /^["\s]*(?:[=+@＝＋－＠]|-(?!1$))/, `${JSON.stringify(separator)}: ${cell}`);
      }
    }
    const bare = response.text.replaceAll(/"(?:[^"]|"")*"/g, "");
    assert.doesNotMatch(bare, /[;\t|؛،；，\v\u0085\u2028]/);
  });

  it("has the client's own id of a request beside Reeve's", async () => {
    const headers = { "x-request-id": "from-a-proxy" };
    const path = `/v2/teams/${team.id}`;
    assert.equal((await request("PATCH", path, { token: user.token, headers, body: { name: "B" } })).status, 200);
    const last = readRows(await exportCsv()).at(-1);
    assert.equal(last?.["clientRequestId"], "from-a-proxy");
    assert.match(last["requestId"] ?? "", /^req_/);
  });

  it("has a header when there are no events", async () => {
    const { text } = await exportCsv("&types=secret-add");
    assert.match(text, /^sequence,[^\n]*,hash\r\n$/);
    assert.equal((await exportCsv("&limit=2")).text.split("\r\n").length, 4);
    assert.equal((await exportCsv("&form=chain")).status, 400);
  });
});
