// Sends requests with credentials in every place through a gate that refuses, logs and explains them. Then searches everything that
// the control plane wrote or returned for them.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { waitFor } from "../harness/wait-for.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate/gate-world.ts";
import { formsOf, search } from "./forms.ts";
import { markPosition, readFiles, readRows } from "./stored-bytes.ts";
import type { Place } from "./stored-bytes.ts";

const world = await startGateWorld();
const { team, user } = world;
const start = await world.withStore(({ admin }) => markPosition(admin));

/** One for each place, so that none is found by another. */
const secrets: Record<string, string> = {};
function secret(place: string): string {
  return (secrets[place] ??= randomBytes(18).toString("base64url"));
}

const reading = (type: string, key?: string) => ({
  name: `Reads ${type} ${key ?? ""}`,
  active: true,
  conditionGroup: [{ conditions: [{ type, op: "re", value: ".", ...(key !== undefined && { key }) }] }],
  action: { mitigate: { action: "log" } },
});

const refusing = {
  name: "No admin",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
  action: { mitigate: { action: "deny" } },
};

const HEADERS = {
  authorization: `Bearer ${secret("authorization")}`,
  "proxy-authorization": `Basic ${Buffer.from(`ada:${secret("basic")}`).toString("base64")}`,
  cookie: `session=${secret("session cookie")}; theme=${secret("other cookie")}`,
  "x-api-key": secret("api key"),
  "x-amz-security-token": secret("token"),
  "x-my-secret": secret("secret"),
  "x-password": secret("password"),
  "x-note": `Bearer ${secret("credential within a text")}`,
  "x-json": JSON.stringify({ password: secret("JSON") }),
  referer: `https://shop.test/in?code=${secret("code of a referrer")}`,
  origin: `https://ada:${secret("user information")}@shop.test`,
};
const query = new URLSearchParams({
  access_token: secret("query"),
  next: `/in?password=${secret("query within a query")}`,
  again: secret("authorization"),
  page: "2",
});

const project = await world.newProject({
  firewallEnabled: true,
  rules: [
    ...Object.keys(HEADERS).map((name) => reading("header", name)),
    ...[...query.keys()].map((name) => reading("query", name)),
    reading("cookie", "session"),
    reading("cookie", "theme"),
    reading("user_agent"),
    refusing,
  ],
});
const application = await listenOn(echo);

/** The gate reports when it is closed. */
async function sendBoth(): Promise<void> {
  const gate = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }], upstream: application.url });
  for (const path of ["/admin", "/"]) {
    const headers = { host: "shop.test", "user-agent": `client ${secret("api key")}`, ...HEADERS };
    await sendTo(gate.url, `${path}?${query.toString()}`, { headers });
  }
  await gate.close();
}

const needles = Object.entries(secrets).flatMap(([place, value]) => formsOf(place, Buffer.from(value)));
const responses: Place[] = [];
async function read(path: string) {
  const { text, body } = await world.request("GET", path, { token: user.token });
  responses.push({ name: path, bytes: Buffer.from(text) });
  return body;
}

/** Whether both kinds of decision have been stored with steps that read what the rules compare: a busy machine has no time for some. */
async function haveSteps(): Promise<boolean> {
  await sendBoth();
  const { decisions } = await read(`/v1/gate/decisions?teamId=${team.id}&projectId=${project}`);
  const explained = new Set<string>();
  for (const { id } of decisions) {
    const { decision } = await read(`/v1/gate/decisions/${id}?teamId=${team.id}`);
    if (decision.steps?.length > 5) explained.add(decision.action);
  }
  return explained.size === 2;
}
await waitFor("decisions with their steps", haveSteps);

function assertClean(places: readonly Place[], control: string): void {
  assert.deepEqual(
    places.flatMap(({ name, bytes }) => search(name, bytes, needles)),
    [],
  );
  assert.ok(
    places.some(({ bytes }) => bytes.includes(control)),
    `the search would not have found ${control}`,
  );
}

describe("no credential of a request that a gate refused or logged, in any form, is", () => {
  test("in the rows of the store", async () => {
    assertClean(await world.withStore(({ admin }) => readRows(admin)), "x-amz-security-token");
  });

  test("in the store's files", async () => {
    // PostgreSQL compresses what is long: what the files hold beside it is the row's short columns.
    assertClean(await world.withStore(({ admin }) => readFiles(admin, start)), "shop.test");
  });

  test("in what the API shows", () => assertClean(responses, "x-amz-security-token"));
});
