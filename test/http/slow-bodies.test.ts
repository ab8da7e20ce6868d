// Bodies that arrive slowly: permissions are checked when the operation runs, not when the request began.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestTeam, TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { listen } from "./raw-connection.ts";

const { app, request, createUser, createTeam } = await startOwnApp();
const port = await listen(app);
const body = JSON.stringify({ prompt: "block path /admin" });

/** Sends a request about a team in two steps: `between` runs after its authentication, and before the body is complete. */
async function askSlowly({ token }: TestUser, { id }: TestTeam, between: () => Promise<void>): Promise<string> {
  const runner = app.runner as { findCaller: typeof app.runner.findCaller };
  const { findCaller } = runner;
  let isKnown = false;
  runner.findCaller = (...of) => {
    isKnown = true;
    return findCaller(...of);
  };
  const socket = connect(port, "127.0.0.1");
  const head = [
    `POST /v1/firewalls/generate-rule?projectId=site&teamId=${id} HTTP/1.1`,
    "Host: x",
    `Authorization: Bearer ${token}`,
    "Connection: close",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body.slice(0, 5)}`);
  await waitFor("the caller to be known", () => isKnown);
  runner.findCaller = findCaller;
  await between();
  socket.write(body.slice(5));
  return (await text(socket)).slice("HTTP/1.1 ".length, "HTTP/1.1 200".length);
}

const change = async ({ id }: TestUser, changes: object) => {
  assert.equal((await request("PATCH", `/v1/users/${id}`, { body: changes })).status, 200);
};

test("a user who stops being an administrator while sending a body is refused, then and afterwards", async () => {
  const [user, owner] = [await createUser(), await createUser()];
  const team = await createTeam(owner);
  await change(user, { admin: true });
  assert.equal(await askSlowly(user, team, async () => {}), "200");
  const asked = await askSlowly(user, team, () => change(user, { admin: false }));
  const { status } = await request("GET", `/v2/teams/${team.id}`, { token: user.token });
  assert.deepEqual([asked, status], ["404", 404]);
});

test("a user who is suspended while sending a body is refused", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  assert.equal(await askSlowly(user, team, () => change(user, { suspended: true })), "401");
});
