// What a program gives the client wrongly is a TypeError that names the argument and what is expected, before anything is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { createClient } from "../../src/client/client.ts";
import { verifyWebhook } from "../../src/client/webhook.ts";
import type { ReceivedWebhook } from "../../src/client/webhook.ts";
import type { Client, ClientSettings } from "../../src/client/client.ts";

const server = "http://127.0.0.1:9";
const OTHER_TOKEN = "rvt_0123456789abcdef";

function unsent(): never {
  assert.fail("expected that nothing is sent");
}

function create(settings: unknown): Client {
  return createClient({ fetch: unsent, retries: 0, ...(settings as ClientSettings) });
}

/** The TypeError's message, of a function that throws or rejects. */
async function refusalOf(work: () => unknown): Promise<string> {
  const error: unknown = await Promise.resolve()
    .then(work)
    .then(
      () => assert.fail("expected a refusal"),
      (failed: unknown) => failed,
    );
  assert.ok(error instanceof TypeError, inspect(error));
  return inspect(error);
}

const LINE_IN_TOKEN = "rvt_0123456789abcdef\nx";

test("a token that no header can carry is refused when the client is made, and is not shown", async () => {
  for (const token of [LINE_IN_TOKEN, "rvt_0123456789abcdef ", "", "rvt_0123456789äbcdef", 17, null]) {
    const refusal = await refusalOf(() => create({ server, token }));
    assert.match(refusal, /^TypeError: token: expected an access token or an API key: visible ASCII/);
    assert.doesNotMatch(refusal, /0123456789/);
  }
});

test("a token that a function returns is refused in the same way by the call", async () => {
  for (const token of [LINE_IN_TOKEN, "", undefined]) {
    const client = create({ server, token: async () => token });
    const refusal = await refusalOf(() => client.call("listTeams"));
    assert.match(refusal, /^TypeError: token: expected an access token/);
    assert.doesNotMatch(refusal, /0123456789/);
  }
});

test("a client needs the URL of a server", async () => {
  const settings = /^TypeError: settings: expected an object with `server`, the URL of the server/;
  for (const none of [undefined, null, "http://127.0.0.1"]) {
    assert.match(await refusalOf(() => createClient(none as unknown as ClientSettings)), settings);
  }
  const urls = [
    undefined,
    null,
    "",
    "foo",
    "/api",
    "ftp://127.0.0.1",
    "http://ada:rvt_0123456789@127.0.0.1",
    "http://127.0.0.1/?key=0123456789",
    "http://127.0.0.1/#0123456789",
  ];
  for (const url of urls) {
    const refusal = await refusalOf(() => create({ server: url }));
    assert.match(
      refusal,
      /^TypeError: server: expected an http or https URL without a user, a query or a fragment, such as /,
    );
    assert.doesNotMatch(refusal, /0123456789/);
  }
  for (const url of [server, `${server}///`, new URL(`${server}/below/`)]) assert.ok(create({ server: url }));
});

test("calls refuse an operation that there is not, and input that has no members", async () => {
  const client = create({ server }) as unknown as Record<string, (...given: unknown[]) => unknown>;
  const ask = (method: string, ...given: unknown[]) => client[method]?.(...given);
  const read = async (method: string, ...given: unknown[]) => {
    for await (const one of ask(method, ...given) as AsyncIterable<unknown>) assert.ok(one);
  };
  const unknown = /^TypeError: operation: expected a name of an operation in openapi\.json, such as "listTeams", got /;
  const notList = /^TypeError: operation: expected one that lists, such as "listTeams", got "getTeam"/;
  for (const id of ["listTeam", "toString", "", undefined, 7]) {
    for (const method of ["call", "answer"]) assert.match(await refusalOf(() => ask(method, id)), unknown);
    for (const method of ["items", "pages"]) assert.match(await refusalOf(() => read(method, id)), unknown);
    assert.match(await refusalOf(() => read("lines", id, {}, { accept: "text/csv" })), unknown);
  }
  for (const method of ["items", "pages"]) {
    assert.match(await refusalOf(() => read(method, "getTeam", { params: { teamId: "acme" } })), notList);
    assert.match(await refusalOf(() => read(method, "listTeams", null)), /^TypeError: input: expected an object/);
  }
  for (const [input, expected] of [
    [null, /^TypeError: input: expected an object/],
    ["acme", /^TypeError: input: expected an object/],
    [{ params: null }, /^TypeError: params: expected an object/],
    [{ params: "acme" }, /^TypeError: params: expected an object/],
    [{ params: { teamId: "acme" }, query: null }, /^TypeError: query: expected an object/],
    [{}, /^TypeError: params\.teamId: expected a value/],
    [{ params: { teamId: null } }, /^TypeError: params\.teamId: expected a value/],
    [{ teamId: "acme" }, /^TypeError: params\.teamId: expected a value/],
  ] as const) {
    assert.match(await refusalOf(() => ask("call", "getTeam", input)), expected);
  }
  const options = /^TypeError: options: expected an object with `accept`, a media type/;
  for (const none of [undefined, null])
    assert.match(await refusalOf(() => read("lines", "listEvents", {}, none)), options);
});

test("an empty name of a team is refused: without a team a call is about the credential's own owner", async () => {
  const setting = /^TypeError: team: expected the id or slug of a team; without a team, leave it out/;
  for (const team of ["", " ", null, 17, {}])
    assert.match(await refusalOf(() => create({ server, token: OTHER_TOKEN, team })), setting);
  const client = create({ server, token: OTHER_TOKEN, team: "acme" });
  for (const query of [{ teamId: "" }, { slug: "" }, { slug: ["", ""] }, { teamId: "acme", slug: "" }]) {
    const [name] = Object.entries(query).find(([, value]) => String(value).replace(",", "") === "") ?? [];
    const expected = new RegExp(`^TypeError: query\\.${name}: expected the id or slug of a team`);
    for (const one of [client, create({ server, token: OTHER_TOKEN })]) {
      assert.match(await refusalOf(() => one.call("listSecrets", { query } as never)), expected);
      assert.match(await refusalOf(() => one.request("GET", "/v3/secrets", { query })), expected);
      assert.match(await refusalOf(() => one.items("listSecrets", { query } as never).next()), expected);
    }
  }
});

test("a webhook's body is the one that was received, not what was parsed of it", async () => {
  const [id, timestamp, signature] = ["msg", String(Math.floor(Date.now() / 1_000)), "v1,AAAA"];
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  for (const body of [{ type: "team-created" }, [], null, undefined, 7]) {
    const received = { headers, body, secret: "whsec_AAAA" } as unknown as ReceivedWebhook;
    assert.match(
      await refusalOf(() => verifyWebhook(received)),
      /^TypeError: body: expected the text or bytes that were received/,
    );
  }
});
