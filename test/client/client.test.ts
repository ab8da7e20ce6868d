// The client against a real server: every kind of call, lists of several pages by each kind of cursor, and what the server refuses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS } from "../../src/client/operations.ts";
import { ReeveError } from "../../src/client/error.ts";
import { createClient } from "../../src/client/client.ts";
import type { ListId } from "../../src/client/types.ts";
import { CONTRACTS } from "../../src/contracts.ts";
import { startListeningApp } from "../clients/started-app.ts";
import { freePort } from "../harness/free-port.ts";
import { reply, startScripted } from "./scripted-server.ts";

const api = await startListeningApp();
const { url: server, admin } = api;
const { token } = admin;
const client = createClient({ server, token });

async function failureOf(call: Promise<unknown>): Promise<ReeveError> {
  const error: unknown = await call.then(
    () => assert.fail("expected the call to fail"),
    (failed: unknown) => failed,
  );
  assert.ok(error instanceof ReeveError, String(error));
  return error;
}

test("every operation of the contracts is in the table, with its method and path", () => {
  const declared = CONTRACTS.flatMap((contract) =>
    Object.entries(contract).map(([id, { method, path }]) => [id, `${method} ${path}`] as const),
  );
  const table = Object.entries(OPERATIONS).map(([id, { method, path }]) => [id, `${method} ${path}`] as const);
  assert.deepEqual(table, declared);
});

test("a call resolves to the typed result, and with answer to its ETag as well", async () => {
  const team = await client.call("createTeam", { body: { slug: "client-calls", name: "Calls" } });
  assert.equal(team.slug, "client-calls");
  const { value, etag, requestId } = await client.answer("getTeam", { params: { teamId: team.id } });
  assert.equal(value.name, "Calls");
  assert.ok(etag !== null && requestId !== "");
  const params = { teamId: team.id };
  await client.call("updateTeam", { params, body: { name: "Other" }, ifMatch: etag });
  const conflict = await failureOf(client.call("updateTeam", { params, body: { name: "Third" }, ifMatch: etag }));
  assert.deepEqual([conflict.status, conflict.code], [412, "revision_mismatch"]);
});

test("the team of the settings is that of every call whose query names none", async () => {
  const team = await client.call("createTeam", { body: { slug: "client-scope" } });
  for (const chosen of [team.id, team.slug]) {
    const scoped = createClient({ server, token, team: chosen });
    const name = `of-${chosen}`.replaceAll("_", "-");
    const secret = await scoped.call("createSecret", { body: { name, value: "1" } });
    assert.equal(secret.teamId, team.id);
    const elsewhere = await failureOf(scoped.call("getSecret", { params: { name }, query: { slug: "no-such-team" } }));
    assert.deepEqual([elsewhere.status, elsewhere.code], [404, "not_found"]);
    const own = await failureOf(client.call("getSecret", { params: { name } }));
    assert.equal(own.status, 404);
    const user = await scoped.call("getCurrentUser");
    assert.equal(user.user.id, admin.id, "a call that is about no team is sent without one");
  }
});

test("a call without a response's body resolves to null", async () => {
  await client.call("createTeam", { body: { slug: "client-null" } });
  const scoped = createClient({ server, token, team: "client-null" });
  const hook = await scoped.call("createWebhook", { body: { url: "https://hooks.example.com/", events: ["*"] } });
  assert.equal(await scoped.call("deleteWebhook", { params: { webhookId: hook.id } }), null);
});

interface Listed {
  readonly id: ListId;
  readonly make: (index: number) => Promise<unknown>;
}

const scoped = createClient({ server, token, team: "client-pages" });
const LISTS: readonly Listed[] = [
  { id: "listSecrets", make: (n) => scoped.call("createSecret", { body: { name: `page-${n}`, value: "1" } }) },
  {
    id: "listWebhooks",
    make: (n) => scoped.call("createWebhook", { body: { url: `https://hooks.example.com/${n}`, events: ["*"] } }),
  },
  {
    id: "listBypasses",
    make: (n) => scoped.call("addBypass", { body: { projectScope: true, sourceIp: `192.0.2.${n}` } }),
  },
  {
    id: "listBypassRules",
    make: (n) =>
      scoped.call("addBypassRule", {
        body: {
          domain: `${n}.example.com`,
          conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: "/" }] }],
        },
      }),
  },
  { id: "listEvents", make: async () => undefined },
];

test("lists are read to their end over every kind of cursor, each item once", async (t) => {
  await client.call("createTeam", { body: { slug: "client-pages" } });
  for (const { id, make } of LISTS) {
    await t.test(id, async () => {
      for (let index = 1; index <= 5; index++) await make(index);
      const query = { limit: 2 };
      const all: string[] = [];
      for await (const item of scoped.items(id, { query } as never)) all.push(JSON.stringify(item));
      assert.ok(all.length >= 5, `${all.length} items`);
      assert.equal(new Set(all).size, all.length);
      let pages = 0;
      for await (const page of scoped.pages(id, { query } as never)) {
        assert.ok(page !== null);
        pages++;
      }
      assert.ok(pages >= 3 && pages <= Math.ceil(all.length / 2) + 1, `${pages} pages of ${all.length} items`);
    });
  }
});

test("a list that leads back to an earlier page ends with an error", async () => {
  const page = (until: number) => reply(200, { secrets: [] }, { link: `</v2/secrets?until=${until}>; rel="next"` });
  const { url, asked } = await startScripted(page(2), page(1), page(2));
  const endless = createClient({ server: url, token });
  const read = async () => {
    for await (const secret of endless.items("listSecrets")) assert.ok(secret);
  };
  assert.equal((await failureOf(read())).code, "endless_list");
  assert.equal(asked.length, 3);
});

test("a program that stops reading a list asks for no further page", async () => {
  let asked = 0;
  const counting = createClient({
    server,
    token,
    team: "client-pages",
    fetch: (url, init) => {
      asked++;
      return fetch(url, init);
    },
  });
  for await (const secret of counting.items("listSecrets", { query: { limit: 2 } })) {
    assert.match(secret.name, /^page-/);
    break;
  }
  assert.equal(asked, 1);
});

test("exports and live streams are read line by line", async () => {
  const lines: string[] = [];
  for await (const line of scoped.lines("exportEvents", {}, { accept: "application/x-ndjson" })) lines.push(line);
  assert.ok(lines.length >= 15);
  assert.equal(typeof (JSON.parse(lines[0] as string) as { id: string }).id, "string");
  let opened = 0;
  const stream = scoped.lines(
    "streamEvents",
    { query: { after: 0 } },
    { accept: "text/event-stream", onOpen: () => opened++ },
  );
  for await (const line of stream) if (line.startsWith("data: ")) break;
  assert.equal(opened, 1);
});

test("an export as CSV is read row by row, also where a cell has line breaks", async () => {
  const text = 'said "one,\r\n"two"\n';
  const { sequence } = await scoped.call("publishEvent", { body: { type: "deployment.created", text } });
  const query = { after: sequence - 2, before: sequence + 1 };
  const rows = await Array.fromAsync(scoped.lines("exportEvents", { query }, { accept: "text/csv" }));
  assert.equal(rows.length, 3);
  const [head = "", , row = ""] = rows;
  assert.match(head, /^sequence,.*,hash$/);
  assert.ok(row.includes('said ""one,\r\n""two""\n",'), row);
  assert.match(row, new RegExp(`^${sequence},[^]*,[0-9a-f]{64}$`));
});

test("a refusal says the code, the field and what was expected", async () => {
  const body = { slug: "A team", name: "x" };
  const refused = await failureOf(client.call("createTeam", { body }));
  assert.deepEqual([refused.status, refused.code, refused.field], [400, "invalid_slug", "body.slug"]);
  assert.match(refused.expected, /^1 to 48 characters/);
  assert.match(refused.message, /^slug: expected /);
  assert.notEqual(refused.requestId, "");
});

test("a wrong token, a path that is no API, and no server are told apart", async () => {
  const stranger = createClient({ server, token: "rvt_wrong" });
  const unknown = await failureOf(stranger.call("getCurrentUser"));
  assert.deepEqual([unknown.status, unknown.code], [401, "not_authorized"]);
  const page = await failureOf(createClient({ server: `${server}/docs`, token }).call("getCurrentUser"));
  assert.equal(page.status, 404);
  const nobody = createClient({ server: `http://127.0.0.1:${await freePort()}`, token, retries: 0 });
  const unreachable = await failureOf(nobody.call("getCurrentUser"));
  assert.deepEqual([unreachable.status, unreachable.code], [0, "unreachable"]);
});

test("a missing parameter of a path is refused before anything is sent", async () => {
  await assert.rejects(client.call("getTeam", { params: { teamId: "" } }), /params\.teamId: expected a value/);
});

test("a parameter that would lead to another operation is refused before anything is sent", async () => {
  for (const version of ["..", "."]) {
    const call = client.call("restoreSecretVersion", { params: { name: "x", version }, body: {} });
    await assert.rejects(call, TypeError, "POST /v2/secrets/x/restore restores a deleted secret");
  }
  const { value } = await client.answer("listSecrets", { query: { id: "..%2f" } });
  assert.deepEqual(value.secrets, []);
});
