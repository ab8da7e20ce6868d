// Changes beside many reads of what they change, in the process that makes them and in another one: as soon as a change has its response,
// no response shows the state before it.
import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { send, startOwnApp } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";

const api = await startOwnApp();
const { app, createUser } = api;
const servers = [app, await api.startAnother()] as const;

const CHANGES = 40;
const READERS = 8;

/** Reads through both servers, over and over, until `isOver`; counts the responses. */
async function readOn(url: string, tokens: readonly string[], isOver: () => boolean): Promise<number> {
  let count = 0;
  async function readInTurn(first: number): Promise<void> {
    for (let turn = first; !isOver(); turn++) {
      const token = tokens[turn % tokens.length] as string;
      await send(servers[turn % 2] as typeof app, "GET", url, { token });
      count++;
      // Requests of one turn share a snapshot; those of others come between.
      if (turn % 3 === 0) await nextTurn();
    }
  }
  await Promise.all(Array.from({ length: READERS }, (_, first) => readInTurn(first)));
  return count;
}

test("names, memberships and credentials that were changed are never read as they were", async () => {
  const owner = await createUser();
  const team = await openTeam(api, owner);
  const viewer = await createUser();
  await team.add(viewer, "VIEWER");
  // One after another: at once they wait for one lock, on a busy machine for longer than a change may.
  const leaving: TestUser[] = [];
  for (let at = 0; at < CHANGES; at++) {
    const user = await createUser();
    await team.add(user, "VIEWER");
    leaving.push(user);
  }
  const url = `/v2/teams/${team.id}`;

  let isOver = false;
  const tokens = [owner, viewer, ...leaving].map(({ token }) => token);
  const reading = readOn(url, tokens, () => isOver);
  const read = async (server: typeof app, token: string) => await send(server, "GET", url, { token });
  try {
    for (const [at, { id, token }] of leaving.entries()) {
      const [here, there] = at % 2 === 0 ? servers : [servers[1], servers[0]];
      const body = { name: `Name ${at}` };
      assert.equal((await send(here, "PATCH", url, { token: owner.token, body })).status, 200);
      for (const server of [there, here]) {
        for (const reader of [owner.token, viewer.token, token]) {
          assert.equal((await read(server, reader)).body.name, body.name, `rename ${at}`);
        }
      }
      if (at % 4 === 3) {
        const [listed] = (await send(here, "GET", "/v5/user/tokens", { token })).body.tokens;
        assert.equal((await send(here, "DELETE", `/v3/user/tokens/${listed.id}`, { token })).status, 200);
        for (const server of [there, here]) assert.equal((await read(server, token)).status, 401, `revocation ${at}`);
      } else {
        assert.equal(
          (await send(here, "DELETE", `/v1/teams/${team.id}/members/${id}`, { token: owner.token })).status,
          200,
        );
        for (const server of [there, here]) assert.equal((await read(server, token)).status, 404, `removal ${at}`);
      }
    }
  } finally {
    isOver = true;
  }
  const count = await reading;
  assert.ok(count > CHANGES, `${count} reads beside ${2 * CHANGES} changes`);
});
