// Uses a webhook's signing secrets and its own headers over its whole life, with a receiver that echoes what it receives. Then
// searches everything that Reeve wrote or returned for them.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { before, describe, test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import { formsOf, search } from "./forms.ts";
import type { Needle } from "./forms.ts";
import { markPosition, readFiles, readRows } from "./stored-bytes.ts";
import type { Place } from "./stored-bytes.ts";

const marker = randomBytes(18).toString("base64url");
const lines: string[] = [];
const api = await startOwnApp({ ...LOOPBACK, logLevel: "trace" }, (line) => lines.push(line));
const start = await api.withStore(({ admin }) => markPosition(admin));
const owner = await api.createUser();
const receiver = await startReceiver();
const responses: TestResponse[] = [];
const secrets: string[] = [];
let needles: readonly Needle[] = [];

async function call(method: string, path: string, status: number, body?: unknown): Promise<TestResponse> {
  const options = { token: owner.token, ...(body === undefined ? {} : { body }) };
  const response = await api.request(method, path, options);
  assert.equal(response.status, status, response.text);
  if (response.body?.secret === undefined) responses.push(response);
  else secrets.push(response.body.secret as string);
  return response;
}

before(async () => {
  receiver.respond((response, { headers, text }) => {
    const given = String(headers["x-own"]);
    response.writeHead(500, { "x-echo": given }).end(JSON.stringify({ headers, text }));
  });
  const hook = { url: `${receiver.url}/`, events: ["secret-add"], headers: { "X-Own": `Bearer ${marker}` } };
  const { id } = (await call("POST", "/v1/webhooks", 200, { ...hook, keyPair: true })).body;
  const path = `/v1/webhooks/${id}`;
  await call("POST", "/v2/secrets", 200, { name: "API_KEY", value: "v" });
  const [sent] = await receiver.until(({ length }) => length > 0);
  assert.equal(sent?.headers["x-own"], `Bearer ${marker}`);
  const tested = await call("POST", `${path}/test`, 200);
  assert.equal(tested.body.status, 500);
  await call("POST", `${path}/rotate-secret`, 200);
  await call("PATCH", path, 200, { headers: { "X-Own": `Other ${marker}` } });
  await call("PATCH", path, 400, { headers: { "X-Own": `${marker}\n` } });
  await call("PATCH", path, 400, { headers: { Host: marker } });
  await call("PATCH", path, 400, { headers: { "X-Own": [marker] } });
  await call("PATCH", path, 400, { header: marker });
  await call("GET", path, 200);
  await call("GET", "/v1/webhooks", 200);
  await api.app.close();
  needles = [
    ...formsOf("a header's value", Buffer.from(marker)),
    ...secrets.flatMap((secret) => formsOf("a secret", Buffer.from(secret.slice("whsec_".length), "base64"))),
    ...secrets.flatMap((secret) => formsOf("a secret's text", Buffer.from(secret.slice("whsec_".length)))),
  ];
});

const place = (name: string, text: string): Place => ({ name, bytes: Buffer.from(text) });
const assertClean = (places: readonly Place[], control: string) => {
  assert.deepEqual(
    places.flatMap(({ name, bytes }) => search(name, bytes, needles)),
    [],
  );
  assert.ok(
    places.some(({ bytes }) => bytes.includes(control)),
    `the search would not have found ${control}`,
  );
};

describe("no secret of a webhook, in any form, is", () => {
  test("in the rows of the store", async () => {
    const places = await api.withStore(({ admin }) => readRows(admin));
    for (const table of ["webhook_secrets", "webhook_attempts", "events"]) {
      assert.ok(places.find(({ name }) => name === `rows of ${table}`)?.bytes.length, table);
    }
    assertClean(places, "(not logged)");
  });

  test("in the store's files", async () => {
    assertClean(await api.withStore(({ admin }) => readFiles(admin, start)), receiver.url);
  });

  test("in the log at the level debug", () => assertClean([place("log", lines.join(""))], "rotateWebhookSecret"));

  test("in responses of other calls", () => {
    assertClean(
      responses.map(({ headers, text }, at) => place(`answer ${at}`, `${JSON.stringify(headers)} ${text}`)),
      "x-own",
    );
  });
});
