// Events while they happen, on a server whose connections break.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../../src/client/client.ts";
import { ReeveError } from "../../src/client/error.ts";
import type { Attempt } from "../../src/client/transport.ts";
import { startListeningApp } from "../clients/started-app.ts";

const api = await startListeningApp();

test("tail gives each event once and in order over connections that break, and ends with the signal", async () => {
  const owner = await api.createUser();
  const team = await api.createTeam(owner);
  const client = createClient({ server: api.url, token: owner.token, team: team.id });
  const stop = new AbortController();
  const broken: ReeveError[] = [];
  const seen: string[] = [];
  const change = async (name: string) =>
    assert.equal(
      (await api.request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name } })).status,
      200,
    );
  await change("Before");
  const reading = (async () => {
    const events = client.tail(
      { query: { after: 0 } },
      { signal: stop.signal, onBreak: (error) => broken.push(error) },
    );
    for await (const event of events) {
      seen.push(`${event.sequence} ${event.type}`);
      if (seen.length === 2) {
        api.app.server.server.closeAllConnections();
        await change("Between");
      }
      if (seen.length === 3) stop.abort(new Error("enough"));
    }
  })();
  await assert.rejects(reading, /^Error: enough$/);
  const stored = await api.readEvents(team.id);
  assert.deepEqual(
    seen,
    stored.slice(0, 3).map(({ type }, at) => `${at + 1} ${type}`),
  );
  assert.deepEqual(
    broken.map(({ code }) => code),
    ["unreachable"],
  );
});

test("tail ends where no further try would help: the credential is gone", async () => {
  const { token } = await api.createUser();
  const made = await api.request("POST", "/v3/user/tokens", { token, body: { name: "short" } });
  const {
    bearerToken,
    token: { id },
  } = made.body;
  const client = createClient({ server: api.url, token: bearerToken });
  const reading = (async () => {
    for await (const event of client.tail({ query: { after: 0 } })) {
      assert.ok(event.sequence > 0);
      await api.request("DELETE", `/v3/user/tokens/${id}`, { token });
    }
  })();
  await assert.rejects(reading, (error) => error instanceof ReeveError && error.status === 401);
});

test("onAttempt is told of each try, and not of a mistake of the program", async () => {
  const { token } = await api.createUser();
  const attempts: Attempt[] = [];
  const client = createClient({ server: api.url, token, onAttempt: (attempt) => attempts.push(attempt) });
  await client.call("getCurrentUser");
  await assert.rejects(client.call("getTeam", { params: { teamId: "nothing" } }), ReeveError);
  await assert.rejects(client.call("getTeam", { params: {} as never }), TypeError);
  const gone = createClient({
    server: "http://127.0.0.1:1",
    retries: 1,
    onAttempt: (attempt) => attempts.push(attempt),
  });
  await assert.rejects(gone.call("getCurrentUser"), ReeveError);
  assert.deepEqual(
    attempts.map(({ method, url, number, status }) => [method, url.pathname, number, status]),
    [
      ["GET", "/v2/user", 1, 200],
      ["GET", "/v2/teams/nothing", 1, 404],
      ["GET", "/v2/user", 1, 0],
      ["GET", "/v2/user", 2, 0],
    ],
  );
  assert.match(String(attempts[0]?.requestId), /^req_/);
  assert.ok(attempts.every(({ durationMs }) => durationMs > 0));
});
