// The webhook provider of External Secrets Operator: exactly the bytes that its Go client sends for the stores in docs/applications.md, and
// what it makes of the responses (a result at `$.value` or `$.NAME`, a map for `dataFrom.extract`, 404 for what is gone).
import assert from "node:assert/strict";
import { once } from "node:events";
import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { startListeningApp } from "./started-app.ts";

const { url, admin, createTeam, request, app } = await startListeningApp();
after(async () => await app.close());
await createTeam(admin, "acme");
const set = { PASSWORD: { secretValue: "swordfish" }, LEVEL: { value: "info" } };
const changed = await request("PATCH", "/v1/environments/shop?slug=acme", {
  body: { environments: { production: { set } } },
});
assert.equal(changed.status, 200, changed.text);
const made = await request("POST", "/v1/api-keys?slug=acme", {
  body: { name: "eso", role: "DEVELOPER", permissions: ["environment:read", "secret:read", "secret:reveal"] },
});
assert.equal(made.status, 200, made.text);
const KEY: string = made.body.value;
const { hostname, port } = new URL(url);

/** A GET as Go's net/http writes it; the connection is closed so that the response's end is known. */
async function send(target: string, token = KEY) {
  const socket = createConnection(Number(port), hostname);
  await once(socket, "connect");
  socket.write(
    [
      `GET ${target} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      "User-Agent: Go-http-client/1.1",
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      "Accept-Encoding: gzip",
      "Connection: close",
      "",
      "",
    ].join("\r\n"),
  );
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), body: JSON.parse(body) as Record<string, unknown> };
}

const VALUES = "/v1/environments/shop/production/values?slug=acme";

test("one secret by its name, with characters that the template escapes", async () => {
  for (const key of ["shop.production.PASSWORD", "shop%2Eproduction%2EPASSWORD"]) {
    const { status, body } = await send(`/v3/secrets/${key}?decrypt=true&slug=acme`);
    assert.deepEqual([status, body["value"]], [200, "swordfish"]);
  }
});

test("all values of an environment as one object of texts, or one of them", async () => {
  const all = await send(VALUES);
  assert.deepEqual([all.status, all.body], [200, { PASSWORD: "swordfish", LEVEL: "info" }]);
  const one = await send(`${VALUES}&names=PASSWORD`);
  assert.deepEqual([one.status, one.body], [200, { PASSWORD: "swordfish" }]);
});

test("404 is for what is not there alone: the operator takes it for deleted", async () => {
  assert.equal((await send("/v3/secrets/NOPE?decrypt=true&slug=acme")).status, 404);
  assert.equal((await send(VALUES.replace("production", "nowhere"))).status, 404);
  assert.equal((await send(`${VALUES}&names=NOPE`)).status, 409);
  assert.equal((await send(VALUES, "x".repeat(40))).status, 401);
});
