// Exports over real sockets: they are read no faster than the client takes them, and a failed one is never complete.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { before, describe, it } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../../test/harness/test-app.ts";
import { openFeed } from "../../../../test/resources/event-feed.ts";
import { listen, openResponse } from "../../../../test/resources/event-streams.ts";

const logged: string[] = [];
const app = await startOwnApp({}, (line) => logged.push(line));
const { request, createUser, createTeam, query } = app;
const { plant } = openFeed(app);
const { runner } = app.app;

/** More than the buffers of the sockets hold. */
const EVENTS = 60;
const PAYLOAD = "x".repeat(250_000);

let port: number;
let user: TestUser;
let team: TestTeam;

/** How many chunks were read for each request. */
const chunks = new Map<string, number>();
const failing = new Set<string>();

function chunksOf(requestId: string): number {
  return chunks.get(requestId) ?? 0;
}

before(async () => {
  port = await listen(app.app);
  user = await createUser();
  team = await createTeam(user);
  await plant(
    team,
    Array.from({ length: EVENTS - 1 }, () => ({ payload: { text: PAYLOAD } })),
  );
  const read = runner.read;
  (runner as { read: typeof read }).read = async (call, caller) => {
    const requestId = call.origin.clientRequestId ?? "";
    if (call.chunk) chunks.set(requestId, chunksOf(requestId) + 1);
    if (failing.has(requestId) && chunksOf(requestId) === 3) throw new Error("a disk failed");
    return await read(call, caller);
  };
});

async function open(requestId: string, { token } = user): Promise<IncomingMessage> {
  const headers = { accept: "application/x-ndjson", "x-request-id": requestId };
  return await openResponse(port, `/v3/events/export?teamId=${team.id}&withPayload=true`, token, headers);
}

/** Counts lines to the end; throws when the response is incomplete. */
async function countLines(response: IncomingMessage): Promise<number> {
  response.setEncoding("latin1");
  let lines = 0;
  for await (const chunk of response) lines += String(chunk).split("\n").length - 1;
  return lines;
}

async function isBrokenOff(response: IncomingMessage): Promise<boolean> {
  await assert.rejects(countLines(response), { code: "ECONNRESET" });
  return !response.complete;
}

describe("an export", () => {
  it("is read as the client takes it, and pauses when the client does", async () => {
    const stopped = await open("stopped");
    assert.equal(await countLines(await open("whole")), EVENTS);
    assert.ok(chunksOf("stopped") < chunksOf("whole"), `${chunksOf("stopped")} of ${chunksOf("whole")} chunks`);
    assert.equal(await countLines(stopped), EVENTS);
    assert.equal(chunksOf("stopped"), chunksOf("whole"));
  });

  it("is no longer read when the client is gone", async () => {
    const gone = await open("gone");
    gone.destroy();
    assert.equal(await countLines(await open("beside")), EVENTS);
    assert.ok(chunksOf("gone") < chunksOf("beside"), `${chunksOf("gone")} of ${chunksOf("beside")} chunks`);
  });

  it("lets other requests run between its chunks", async () => {
    const taken = countLines(await open("long"));
    let responses = 0;
    while ((await Promise.race([taken, openResponse(port, "/v2/user", user.token)])) !== EVENTS) responses++;
    assert.ok(responses > 3, `${responses} responses beside ${chunksOf("long")} chunks`);
  });

  it("is incomplete when it fails in the middle, and the failure is logged", async () => {
    failing.add("failing");
    assert.ok(await isBrokenOff(await open("failing")));
    assert.equal(chunksOf("failing"), 3);
    const lines = logged.filter((line) => line.includes("a disk failed"));
    assert.equal(lines.length, 1);
    assert.ok(lines[0]?.includes('"clientRequestId":"failing"'));
  });

  it("resets the connection when it fails for a client without chunked encoding", async () => {
    failing.add("failing-1.0");
    const socket = connect(port, "127.0.0.1");
    const path = `/v3/events/export?teamId=${team.id}&withPayload=true`;
    const headers = [
      `Authorization: Bearer ${user.token}`,
      "Accept: application/x-ndjson",
      "X-Request-Id: failing-1.0",
    ];
    socket.write(`GET ${path} HTTP/1.0\r\n${headers.join("\r\n")}\r\n\r\n`);
    socket.resume();
    await assert.rejects(once(socket, "end"), { code: "ECONNRESET" });
    assert.equal(chunksOf("failing-1.0"), 3);
  });

  it("is incomplete when the right to read is lost meanwhile", async () => {
    const member = await createUser();
    const body = { uid: member.id, role: "VIEWER" };
    await request("POST", `/v1/teams/${team.id}/members`, { token: user.token, body });
    await request("POST", "/v1/teams/join", { token: member.token, body: { teamId: team.id } });
    const running = await open("leaving", member);
    assert.equal(running.statusCode, 200);
    const left = await request("DELETE", `/v1/teams/${team.id}/members/${member.id}`, { token: member.token });
    assert.equal(left.status, 200);
    assert.ok(await isBrokenOff(running));
  });

  it("is incomplete when events that it has not read yet are pruned", async () => {
    const other = await createTeam(user);
    await plant(
      other,
      Array.from({ length: EVENTS }, () => ({ payload: { text: PAYLOAD } })),
    );
    const headers = { accept: "application/x-ndjson" };
    const url = `/v3/events/export?teamId=${other.id}&withPayload=true`;
    const running = await openResponse(port, url, user.token, headers);
    await query(`delete from events where owner_id = '${other.id}' and sequence < ${EVENTS - 10}`);
    assert.ok(await isBrokenOff(running));
    const later = await openResponse(port, url, user.token, headers);
    assert.equal(await countLines(later), 12);
  });

  it("counts towards the ten streams of a user over all credentials until it ends", async () => {
    const { body } = await request("POST", "/v3/user/tokens", { token: user.token, body: { name: "second" } });
    const running = await Promise.all(Array.from({ length: 10 }, () => open("many")));
    const refused = await open("refused", { ...user, token: body.bearerToken });
    assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [429, "5"]);
    assert.equal(JSON.parse((await refused.toArray()).join("")).error.code, "too_many_streams");
    // Also by the older way, which is deprecated.
    const older = await request("GET", `/v3/events?teamId=${team.id}`, {
      token: user.token,
      headers: { accept: "application/x-ndjson" },
    });
    assert.deepEqual([older.status, older.body.error.code], [429, "too_many_streams"]);
    // The limit does not affect other users and pages.
    const ofAnother = await open("admin", app.admin);
    assert.equal(ofAnother.statusCode, 200);
    ofAnother.destroy();
    assert.equal((await request("GET", `/v3/events?teamId=${team.id}`, { token: user.token })).status, 200);

    const [first, second, ...others] = running;
    assert.equal(await countLines(first as IncomingMessage), EVENTS + 3);
    second?.destroy();
    for (;;) {
      const again = await open("again");
      again.destroy();
      if (again.statusCode === 200) break;
    }
    for (const response of others) response.destroy();
  });
});
