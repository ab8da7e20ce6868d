// nginx ends a connection of HTTP/2 with GOAWAY after as many requests as its file says. What a client has sent by then, and nginx has not
// processed, goes again on a new connection: by a client that does its duty, and by Reeve's own.
import assert from "node:assert/strict";
import { it } from "node:test";
import { fetch } from "undici";
import { createClient } from "../../src/client/client.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { agentOf, startBehind, startProgram } from "./front-world.ts";
import { openHttp2 } from "./http2-client.ts";

const ADDRESS = "127.0.0.2";
/** More than two connections take. */
const NAMES = Array.from({ length: 50 }, (_, n) => `SECRET_${n}`);

const reeve = await startBehind();
const user = await reeve.createUser();
const [https, http] = [await freePort(), await freePort()];
startProgram("nginx", "file", { https, http, upstream: `127.0.0.1:${reeve.port}`, silence: "60s", requests: 20 });
const server = `https://localhost:${https}`;
const http2 = openHttp2(server, ADDRESS);
const dispatcher = agentOf(true, ADDRESS);
await waitFor("nginx to serve", async () => {
  const live = await http2.send("GET", "/health/live", {}).catch(() => undefined);
  return live?.status === 200;
});

/** Each was created once: a second request for its name would have been refused. */
async function assertStored(slug: string): Promise<void> {
  const { body } = await reeve.request("GET", `/v2/secrets?slug=${slug}&limit=100`, user);
  assert.deepEqual(body.secrets.map(({ name }: { readonly name: string }) => name).toSorted(), NAMES.toSorted(), slug);
}

it("a client that sends again what a GOAWAY leaves out loses nothing", async () => {
  const { slug } = await reeve.createTeam(user);
  const headers = { authorization: `Bearer ${user.token}`, "content-type": "application/json" };
  const send = async (name: string) =>
    await http2.send("POST", `/v2/secrets?slug=${slug}`, headers, JSON.stringify({ name, value: name }));
  const responses = await Promise.all(NAMES.map(send));
  assert.deepEqual(
    responses.filter(({ status }) => status !== 200),
    [],
  );
  assert.ok(http2.counts.goaways > 1);
  assert.ok(http2.counts.resent >= NAMES.length - 20);
  await assertStored(slug);
});

it("Reeve's client sends a POST again", async () => {
  const { slug } = await reeve.createTeam(user);
  let unanswered = 0;
  const client = createClient({
    server,
    token: user.token,
    fetch: (url, init) => fetch(url, { ...(init as object), dispatcher }),
    onAttempt: ({ status }) => {
      if (status === 0) unanswered++;
    },
  });
  await Promise.all(NAMES.map((name) => client.call("createSecret", { query: { slug }, body: { name, value: name } })));
  assert.ok(unanswered > 0);
  await assertStored(slug);
});
