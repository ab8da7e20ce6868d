// How exports flow over real sockets: no faster than they are taken, and never cut short in silence.
import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { before, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { startTestApp } from "../../../test/harness.ts";
import type { TestTeam, TestUser } from "../../../test/harness.ts";
import { openFeed } from "../../../test/event-feed.ts";

const app = await startTestApp();
const { createUser, createTeam } = app;
const { plant } = openFeed(app);

/** More than sockets hold back by themselves. */
const EVENTS = 120;
const PAYLOAD = "x".repeat(250_000);

let port: number;
let user: TestUser;
let team: TestTeam;

async function open(query: string, { token } = user): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}`, accept: "application/x-ndjson" };
  const request = get({ host: "127.0.0.1", port, path: `/v3/events?teamId=${team.id}${query}`, headers, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

async function readLines(response: IncomingMessage): Promise<number> {
  let lines = 0;
  for await (const chunk of response) lines += String(chunk).split("\n").length - 1;
  return lines;
}

before(async () => {
  await app.app.server.listen({ host: "127.0.0.1", port: 0 });
  port = (app.app.server.server.address() as AddressInfo).port;
  user = await createUser();
  team = await createTeam(user);
  await plant(
    team,
    Array.from({ length: EVENTS }, () => ({ payload: { text: PAYLOAD } })),
  );
});

describe("exports", () => {
  it("are ten at a time for a credential, which has its place back when one ends", async () => {
    const running = await Promise.all(Array.from({ length: 10 }, () => open("&withPayload=true")));
    const refused = await open("&withPayload=true");
    assert.equal(refused.statusCode, 429);
    assert.equal(refused.headers["retry-after"], "5");
    assert.equal(((await refused.toArray()).join("").match(/"code":"(\w+)"/) ?? [])[1], "too_many_streams");
    // Those of others, and pages, are not concerned.
    assert.equal((await open("", app.admin)).statusCode, 200);
    const page = await app.request("GET", `/v3/events?teamId=${team.id}`, { token: user.token });
    assert.equal(page.status, 200);

    const [first, second, ...others] = running;
    assert.equal(await readLines(first as IncomingMessage), EVENTS + 1);
    second?.destroy();
    for (;;) {
      const again = await open("&withPayload=true");
      again.destroy();
      if (again.statusCode === 200) break;
      await nextTurn();
    }
    for (const response of others) response.destroy();
  });
});
