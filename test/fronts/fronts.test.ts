// nginx, HAProxy, Caddy and Apache in front of Reeve, by the files of deploy/ and as many people configure them: the API through them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { request } from "undici";
import { openEnvironments } from "../resources/environments.ts";
import { openFeed } from "../resources/event-feed.ts";
import { waitFor } from "../harness/wait-for.ts";
import { parseMetrics } from "../health/metrics-text.ts";
import { startBehind, startFront } from "./front-world.ts";
import type { Connection, Front } from "./front-world.ts";
import { PROGRAMS } from "./programs.ts";
import type { ProgramName } from "./programs.ts";

const MIB = 1_048_576;
const reeve = await startBehind();
const { plant } = openFeed(reeve);

/** A change of a name whose body has this many bytes. */
function bodyOf(length: number): string {
  const start = '{"name":"Long"';
  return `${start}${" ".repeat(length - start.length - 1)}}`;
}

async function openTeam(front: Front, connection: Connection) {
  const user = await reeve.createUser();
  const team = await reeve.createTeam(user);
  const client = front.client(user.token, connection);
  const headers = { authorization: `Bearer ${user.token}`, "content-type": "application/json" };
  return {
    user,
    team,
    client,
    headers,
    input: { params: { teamId: team.id } },
    patch: (body: string, more: object = {}) =>
      front.send("PATCH", `/v2/teams/${team.id}`, { headers: { ...headers, ...more }, body }, connection),
  };
}

const WAYS = { file: "by its file", below: "by its file, below a path", usual: "as people configure it" } as const;
const cases = await Promise.all(
  Object.keys(PROGRAMS).flatMap((name) =>
    (["file", "below", "usual"] as const).map(async (way) => ({
      name: name as ProgramName,
      way,
      front: await startFront(name as ProgramName, way, async () => reeve),
    })),
  ),
);
const connections = cases.flatMap((one) =>
  (one.way === "below" ? [true] : [false, true]).map((h2) => ({ ...one, h2 })),
);
const titleOf = ({ name, way, h2 }: (typeof connections)[number]) =>
  `${name}, ${WAYS[way]}, over HTTP/${h2 ? "2" : "1.1"}`;

describe("live events are passed on at once, and the stream is not cut between them", { concurrency: true }, () => {
  for (const one of connections) {
    // Caddy compresses, and then holds back, a response whose first write is longer than 512 bytes.
    for (const past of [0, 3]) {
      it(`${titleOf(one)}, after ${past} events`, async () => {
        const { client, team, input } = await openTeam(one.front, one);
        await plant(
          team,
          Array.from({ length: past }, () => ({ payload: { text: "x".repeat(1_000) } })),
        );
        let [data, hasEvent, comments] = [0, false, 0];
        const query = { query: { teamId: team.id, withPayload: true, after: 1 } };
        const options = { accept: "text/event-stream", signal: AbortSignal.timeout(30_000) };
        for await (const line of client.lines("streamEvents", query, options)) {
          if (line.startsWith("data: ")) data++;
          // Only after all of the past has come.
          if (data === past && comments === 0 && !hasEvent) {
            hasEvent = true;
            void client.call("updateTeam", { ...input, body: { name: "Seen at once" } });
          }
          if (line === ": ") comments++;
          // Together they take longer than the program waits for a silent server.
          if (comments === 12) break;
        }
        assert.deepEqual([data, comments], [past + 1, 12]);
      });
    }
  }
});

it("streams end at Reeve when their clients have left", async () => {
  await waitFor("no stream to be open", async () => {
    const { text } = await reeve.request("GET", "/metrics", { token: null });
    return parseMetrics(text).value("reeve_http_open_streams") === 0 || undefined;
  });
});

for (const one of connections) {
  const { name, way, front } = one;
  const isOurs = way !== "usual";
  describe(titleOf(one), () => {
    it("compresses a response, and takes its changed tag for a change", async () => {
      const { client, input } = await openTeam(front, one);
      const { etag, response } = await client.answer("getTeam", input);
      assert.match(response.headers.get("content-encoding") ?? "", /^(?:gzip|zstd)$/);
      const changed = await client.answer("updateTeam", { ...input, body: { name: "One" }, ifMatch: etag });
      const late = client.call("updateTeam", { ...input, body: { name: "Two" }, ifMatch: etag });
      await assert.rejects(late, { code: "revision_mismatch" });
      await client.call("updateTeam", { ...input, body: { name: "Three" }, ifMatch: changed.etag });
    });

    it("takes its changed tags for conditional reads", async () => {
      const { headers, user } = await openTeam(front, one);
      // Reeve compresses its document itself, and leaves values to the program.
      await openEnvironments(reeve, user.token, "shop").set("production", { LEVEL: { value: "info ".repeat(300) } });
      const read = async (more: object) =>
        await front.send("GET", "/v1/environments/shop/production/values", { headers: { ...headers, ...more } }, one);
      const values = await read({ "accept-encoding": "gzip" });
      assert.equal(values.headers.get("content-encoding"), "gzip");
      assert.equal((await read({ "if-none-match": values.headers.get("etag") })).status, 304);
      for (const encoding of ["gzip", "zstd, br", "identity"]) {
        const accepted = { ...headers, "accept-encoding": encoding };
        const first = await front.send("GET", "/openapi.json", { headers: accepted }, one);
        const known = { ...accepted, "if-none-match": first.headers.get("etag") ?? "" };
        const again = await front.send("GET", "/openapi.json", { headers: known }, one);
        assert.deepEqual([first.status, again.status, again.text.length], [200, 304, 0], encoding);
      }
    });

    // Caddy without `flush_interval` sends what is shorter than its buffer of 4 kB together with what follows.
    if (name !== "caddy" || isOurs) {
      it("passes on the first line of an export before the rest is sent", async () => {
        const { client, team } = await openTeam(front, one);
        // The first of them is more than Reeve reads at once, so that it writes alone what was before.
        await plant(team, [{ payload: { text: "x".repeat(MIB) } }, {}, {}, {}]);
        const hold = front.relay.hold();
        const query = { query: { teamId: team.id, withPayload: true } };
        const sequences: number[] = [];
        for await (const line of client.lines("exportEvents", query, { accept: "application/x-ndjson" })) {
          sequences.push(JSON.parse(line).sequence);
          if (sequences.length === 1) assert.ok(hold.release());
        }
        assert.deepEqual(sequences, [1, 2, 3, 4, 5]);
      });
    }

    it("takes a change of 1 MiB, and passes on why Reeve or the program refuses one", async () => {
      const { patch, client, input } = await openTeam(front, one);
      assert.equal((await patch(bodyOf(MIB))).status, 200);
      const refused = await patch(bodyOf(MIB + 1));
      assert.equal(refused.status, 413, refused.text);
      if (isOurs) assert.equal(JSON.parse(refused.text).error.code, "body_too_large");
      const stranger = await patch(bodyOf(MIB), { authorization: "Bearer rvt_unknown" });
      assert.deepEqual([stranger.status, JSON.parse(stranger.text).error.code], [401, "not_authorized"], stranger.text);
      const long = client.call("updateTeam", { ...input, body: { name: "x".repeat(4 * MIB) } });
      await assert.rejects(long, { status: 413, message: /at most 1 MiB|takes no request as large as this/ });
    });

    it("tells Reeve the client's address, whatever the client claims", async () => {
      const { patch, input, team, user } = await openTeam(front, one);
      const claims = {
        "x-forwarded-for": "203.0.113.9",
        "x-real-ip": "203.0.113.9",
        forwarded: "for=203.0.113.9;proto=http",
        "x-forwarded-proto": "http",
        "x-forwarded-host": "claimed.example",
      };
      assert.equal((await patch('{"name":"Claimed"}', claims)).status, 200);
      const six = front.client(user.token, { h2: one.h2, address: "::1" });
      await six.call("updateTeam", { ...input, body: { name: "Six" } });
      const { body } = await reeve.request("GET", `/v3/events?teamId=${team.id}&withPayload=true&limit=2`, user);
      assert.deepEqual(
        body.events.map(({ ip }: { readonly ip: string }) => ip),
        ["::1", "127.0.0.2"],
      );
    });

    if (isOurs) {
      it("takes headers up to Reeve's limit, and passes on its refusal of more", async () => {
        const { headers } = await openTeam(front, one);
        const ask = (length: number) =>
          front.send("GET", "/v2/user", { headers: { ...headers, "x-long": "y".repeat(length) } }, one);
        assert.equal((await ask(15_000)).status, 200);
        const refused = await ask(17_000);
        assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [431, "headers_too_large"]);
      });

      it("passes on paths as they were sent, and keeps the metrics from the public", async () => {
        const { headers } = await openTeam(front, one);
        const slash = await front.send("GET", "/v2/teams/a%2Fb", { headers }, one);
        assert.deepEqual(
          [slash.status, JSON.parse(slash.text).error.message],
          [404, "Team not found; GET /v2/teams lists those that you may see"],
          slash.text,
        );
        assert.equal((await front.send("GET", "/metrics", {}, one)).status, 404);
      });

      it("leads http to https", async () => {
        const { statusCode, headers, body } = await request(`${front.httpUrl}/console/`, {
          headers: { host: "localhost" },
        });
        await body.dump();
        assert.equal(statusCode, 308);
        assert.match(String(headers["location"]), /^https:\/\/localhost/);
      });
    }
  });
}
