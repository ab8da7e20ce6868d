// One account with many teams takes all streams of a server: others still get theirs, and the account keeps what nobody else wants.
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { after, test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { createKey } from "../resources/api-keys.ts";
import { listen, openResponse } from "../resources/event-streams.ts";

/** Of a principal, and of all (docs/limits.md). */
const EACH = 10;
const ALL = 1_000;

const world = await startOwnApp({ storageLimits: `teams=${ALL}` });
const port = await listen(world.app);
const opened: IncomingMessage[] = [];
after(() => opened.forEach((response) => response.destroy()));

async function open(teamId: string, token: string): Promise<IncomingMessage> {
  const response = await openResponse(port, `/v3/events/stream?teamId=${teamId}`, token);
  opened.push(response);
  return response;
}

test("an account with keys of a hundred teams leaves a stream for others", async () => {
  const greedy = await world.createUser();
  const ended: boolean[] = [];
  for (let number = 0; number < ALL / EACH; number++) {
    const team = await world.createTeam(greedy);
    const { body } = await createKey(world, greedy.token, `?teamId=${team.id}`, { role: "VIEWER" });
    const responses = await Promise.all(Array.from({ length: EACH }, () => open(team.id, body.value)));
    for (const response of responses) {
      assert.equal(response.statusCode, 200);
      response.resume().once("end", () => ended.push(response.complete));
    }
  }
  const more = await world.createTeam(greedy);
  const { body } = await createKey(world, greedy.token, `?teamId=${more.id}`, { role: "VIEWER" });
  assert.equal((await open(more.id, body.value)).statusCode, 429, "its own account is told that all are taken");

  const quiet = await world.createUser();
  const team = await world.createTeam(quiet);
  for (let number = 1; number <= EACH; number++) {
    assert.equal((await open(team.id, quiet.token)).statusCode, 200);
    await waitFor("the end of a stream of the large account", () => ended.length === number);
  }
  assert.ok(ended.every(Boolean), "they end as a stream ends, so that clients connect again");
});
