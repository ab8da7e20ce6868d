// What is sent again and what is not, time limits, and signals: against a server that fails as the test says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ReeveError } from "../../src/client/error.ts";
import { createClient } from "../../src/client/client.ts";
import { startListeningApp } from "../clients/started-app.ts";
import { hangUp, reply, silence, startScripted } from "./scripted-server.ts";
import type { Step } from "./scripted-server.ts";

const DONE = reply(200, { user: { id: "one" }, id: "team_1" });
const busy = (code: string): Step => reply(503, { error: { code, message: "Try again" } });

async function scriptedClient(...steps: readonly Step[]) {
  const scripted = await startScripted(...steps);
  return { ...scripted, client: createClient({ server: scripted.url, token: "t".repeat(20) }) };
}

test("a read is sent again after a lost connection, 408, 425, 429, 502, 503 and 504", async () => {
  const limited = reply(429, { error: { code: "too_many_requests", message: "Slow down" } }, { "retry-after": "0" });
  const early = reply(425, { error: { code: "too_early", message: "Early data" } });
  for (const failure of [
    hangUp,
    reply(408, "slow"),
    early,
    limited,
    reply(502, "bad"),
    busy("store_busy"),
    reply(504, "late"),
  ]) {
    const { client, asked } = await scriptedClient(failure, DONE);
    await client.call("getCurrentUser");
    assert.equal(asked.length, 2);
  }
});

test("a POST is sent again with the same idempotency key and body", async () => {
  const { client, asked } = await scriptedClient(hangUp, busy("outcome_unknown"), DONE);
  await client.call("createTeam", { body: { slug: "twice" } });
  assert.equal(asked.length, 3);
  const [key] = asked.map(({ headers }) => headers["idempotency-key"]);
  assert.match(String(key), /^[0-9a-f]{32}$/);
  assert.deepEqual(
    asked.map(({ headers, body }) => [headers["idempotency-key"], body]),
    Array.from({ length: 3 }, () => [key, '{"slug":"twice"}']),
  );
});

test("each POST has a key of its own, or the one that is given", async () => {
  const { client, asked } = await scriptedClient(DONE);
  await client.call("createTeam", { body: { slug: "a" } });
  await client.call("createTeam", { body: { slug: "a" } });
  await client.call("createTeam", { body: { slug: "a" } }, { idempotencyKey: "mine" });
  const keys = asked.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], "mine");
});

test("a PATCH whose outcome is not known is not sent again; one that was surely not done is", async () => {
  const params = { teamId: "acme" };
  for (const failure of [hangUp, busy("outcome_unknown"), reply(502, "bad")]) {
    const { client, asked } = await scriptedClient(failure, DONE);
    await assert.rejects(client.call("updateTeam", { params, body: { name: "x" } }), ReeveError);
    assert.equal(asked.length, 1);
  }
  for (const untouched of [busy("store_busy"), reply(425, "early")]) {
    const { client, asked } = await scriptedClient(untouched, DONE);
    await client.call("updateTeam", { params, body: { name: "x" } });
    assert.equal(asked.length, 2);
  }
});

test("what the server refuses is not sent again, and retries end", async () => {
  const refused = await scriptedClient(reply(404, { error: { code: "not_found", message: "Team not found" } }));
  await assert.rejects(refused.client.call("getTeam", { params: { teamId: "x" } }), { code: "not_found" });
  assert.equal(refused.asked.length, 1);
  const down = await scriptedClient(busy("shutting_down"));
  await assert.rejects(createClient({ server: down.url, retries: 2 }).call("getCurrentUser"), {
    code: "shutting_down",
  });
  assert.equal(down.asked.length, 3);
});

test("Retry-After is honoured, as seconds and as a date; a pause that is too long is the caller's to make", async () => {
  const limited = (after: string) =>
    reply(429, { error: { code: "too_many_requests", message: "x" } }, { "retry-after": after });
  const short = await scriptedClient(limited("1"), DONE);
  const startedAt = performance.now();
  await short.client.call("getCurrentUser");
  assert.ok(performance.now() - startedAt >= 990, "a second passed");
  for (const after of ["120", new Date(Date.now() + 120_000).toUTCString()]) {
    const long = await scriptedClient(limited(after), DONE);
    await assert.rejects(long.client.call("getCurrentUser"), (error: ReeveError) => {
      assert.ok(error.retryAfterMs !== null && error.retryAfterMs > 100_000 && error.retryAfterMs <= 120_000);
      return true;
    });
    assert.equal(long.asked.length, 1);
  }
  for (const absurd of ["99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    const long = await scriptedClient(limited(absurd), DONE);
    await assert.rejects(long.client.call("getCurrentUser"), { code: "too_many_requests" });
    assert.equal(long.asked.length, 1, absurd);
  }
  for (const nothing of [
    "-5",
    "soon",
    "1e999",
    "3600.5",
    "1 Jan 2999",
    "2999-01-01",
    "Thu, 01 Jan 1970 00:00:00 GMT",
  ]) {
    const again = await scriptedClient(limited(nothing), DONE);
    await again.client.call("getCurrentUser");
    assert.equal(again.asked.length, 2, nothing);
  }
});

test("a server that does not answer in time is one that failed; a signal ends a call with its own reason", async () => {
  const { url } = await startScripted(silence);
  let sent = 0;
  // Counted here: on a slow machine the time is over before a request is read there.
  const client = createClient({
    server: url,
    fetch: (...request) => {
      sent++;
      return fetch(...request);
    },
  });
  await assert.rejects(client.call("getCurrentUser", {}, { timeoutMs: 50, retries: 1 }), {
    code: "timeout",
    status: 0,
  });
  assert.equal(sent, 2);
  const stopped = await scriptedClient(silence);
  const stop = new AbortController();
  const call = stopped.client.call("getCurrentUser", {}, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(call, /^Error: enough$/);
  await assert.rejects(
    stopped.client.call("getCurrentUser", {}, { signal: AbortSignal.abort(new Error("before")) }),
    /before/,
  );
});

test("a redirect is not followed: the token is for one server", async () => {
  const other = await startScripted(DONE);
  const { client } = await scriptedClient((response) => response.writeHead(302, { location: other.url }).end());
  await assert.rejects(client.call("getCurrentUser"), { code: "redirected" });
  assert.equal(other.asked.length, 0);
});

test("a page of another program is no answer, whatever its status", async () => {
  const html: Step = (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>");
  const { client } = await scriptedClient(html);
  await assert.rejects(client.call("getCurrentUser"), { code: "not_json", status: 200 });
});

test("a response of a proxy in front of the server is named as that", async () => {
  for (const [status, reason] of [
    [413, "takes no request as large as this"],
    [431, "takes no headers as long as these"],
    [502, "does not reach the server"],
    [504, "gets no answer of the server in time"],
  ] as const) {
    const { url } = await startScripted((response) => response.writeHead(status).end("<h1>Sorry</h1>"));
    const client = createClient({ server: url, token: "t".repeat(20), retries: 0 });
    const message = `A proxy in front of the server responds with ${status}: it ${reason}`;
    await assert.rejects(client.call("getCurrentUser"), { code: "not_json", status, message });
  }
});

test("a change whose answer was lost is made once: the server knows the key", async () => {
  const api = await startListeningApp();
  let lost = 0;
  const client = createClient({
    server: api.url,
    token: api.admin.token,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (init.method !== "POST" || lost++ > 0) return response;
      throw new TypeError("the connection broke after the change");
    },
  });
  const { team } = { team: await client.call("createTeam", { body: { slug: "made-once" } }) };
  assert.equal(lost, 2);
  const { teams } = await client.call("listTeams");
  assert.deepEqual(
    teams.map(({ id }) => id),
    [team.id],
  );
});

test("lines that break off are a failure of the connection, and a signal ends them with its reason", async () => {
  const begin: Step = (response) => void response.writeHead(200).write("one\n");
  const broken: Step = (response) => {
    response.writeHead(200).write("one\ntw", () => setTimeout(() => response.socket?.destroy(), 50));
  };
  const accept = "text/event-stream";
  const read = async (step: Step, signal?: AbortSignal, onLine?: () => void) => {
    const { client } = await scriptedClient(step);
    const seen: string[] = [];
    try {
      for await (const line of client.lines("streamEvents", {}, { accept, signal, silenceMs: 200 })) {
        seen.push(line);
        onLine?.();
      }
    } catch (error) {
      return { seen, error };
    }
    return { seen, error: null };
  };
  const { seen, error } = await read(broken);
  assert.deepEqual(seen, ["one"]);
  assert.ok(error instanceof ReeveError && error.status === 0 && error.code === "unreachable", String(error));
  // A network that drops the connection without a word.
  const silent = await read(begin);
  assert.deepEqual(silent.seen, ["one"]);
  assert.ok(silent.error instanceof ReeveError && silent.error.code === "unreachable", String(silent.error));
  const stop = new AbortController();
  const reason = new Error("enough");
  const stopped = await read(begin, stop.signal, () => stop.abort(reason));
  assert.equal(stopped.error, reason);
});
