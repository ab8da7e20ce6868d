// What a program gives the client wrongly is a TypeError that names the argument and what is expected, before anything is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { createClient } from "../../src/client/client.ts";
import { OPERATIONS } from "../../src/client/operations.ts";
import { verifyWebhook } from "../../src/client/webhook.ts";
import type { ReceivedWebhook } from "../../src/client/webhook.ts";
import type { ClientSettings } from "../../src/client/settings.ts";
import { create, refusalOf, server } from "./refusals.ts";

const OTHER_TOKEN = "rvt_0123456789abcdef";
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
    assert.match(await refusalOf(() => read(method, "listTeams", null)), /^TypeError: input: expected a plain object/);
    assert.match(
      await refusalOf(() => read(method, "listTeams", { query: null })),
      /^TypeError: query: expected a plain/,
    );
  }
  for (const [input, expected] of [
    [null, /^TypeError: input: expected a plain object/],
    ["acme", /^TypeError: input: expected a plain object/],
    [{ params: null }, /^TypeError: params: expected a plain object/],
    [{ params: "acme" }, /^TypeError: params: expected a plain object/],
    [{ params: { teamId: "acme" }, query: null }, /^TypeError: query: expected a plain object/],
    [{}, /^TypeError: params\.teamId: expected a value/],
    [{ params: { teamId: null } }, /^TypeError: params\.teamId: expected a value/],
    [{ params: { teamId: {} } }, /^TypeError: params\.teamId: expected a value/],
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

test("an empty team is refused wherever a request has its query", async () => {
  const client = create({ server, token: OTHER_TOKEN, team: "acme" });
  for (const name of ["teamId", "slug"]) {
    const expected = new RegExp(`^TypeError: query\\.${name}: expected the id or slug of a team`);
    const query = new URLSearchParams({ limit: "1", [name]: "" });
    assert.match(await refusalOf(() => client.request("GET", "/v2/secrets", { query })), expected);
    assert.match(await refusalOf(() => client.request("GET", `/v2/secrets?${name}=`)), expected);
    assert.match(await refusalOf(() => client.request("GET", `/v2/secrets?${name}`)), expected);
  }
});

class Named {
  readonly teamId = "acme";
}

const ODD: readonly unknown[] = [
  new Map([["teamId", "acme"]]),
  new URLSearchParams("teamId=acme"),
  ["acme"],
  new Named(),
];

test("what has no members of its own, or others than there are, is refused by name: nobody would read them", async () => {
  const client = create({ server, token: OTHER_TOKEN });
  const ask = (method: "call" | "answer" | "request", ...given: unknown[]) =>
    (client[method] as unknown as (...all: unknown[]) => Promise<unknown>)(...given);
  const first = (method: "items" | "pages" | "lines", ...given: unknown[]) =>
    (client[method] as unknown as (...all: unknown[]) => AsyncGenerator)(...given).next();
  const everyCall = (input: unknown, options?: unknown) => [
    () => ask("call", "listSecrets", input, options),
    () => ask("answer", "listSecrets", input, options),
    () => first("items", "listSecrets", input, options),
    () => first("pages", "listSecrets", input, options),
    () => first("lines", "listSecrets", input, { accept: "text/csv", ...(options as object) }),
  ];
  const refused = async (calls: readonly (() => unknown)[], start: string) => {
    for (const call of calls) {
      const refusal = await refusalOf(call);
      assert.ok(refusal.startsWith(`TypeError: ${start}`), `${String(call)}: ${refusal}`);
    }
  };
  const members = "expected one of params, query, body, ifMatch, ifNoneMatch";
  await refused(everyCall({ teamId: "acme" }), `input.teamId: ${members}`);
  await refused(everyCall({ slug: "acme" }), `input.slug: ${members}`);
  await refused(everyCall({ qurey: { slug: "acme" } }), `input.qurey: ${members}; did you mean query?`);
  await refused(everyCall({ params: { teamId: "acme" } }), "params.teamId: expected no members");
  for (const odd of ODD) {
    await refused(everyCall(odd), "input: expected a plain object");
    await refused(everyCall({ query: odd }), "query: expected a plain object");
    await refused(everyCall({ params: odd }), "params: expected a plain object");
  }
  await refused(everyCall({}, { idempotencykey: "k" }), "options.idempotencykey: expected one of ");
  await refused(everyCall({}, { team: "acme" }), "options.team: expected one of ");
  const calls = [
    () => ask("call", "listSecrets", {}, { headers: {} }),
    () => first("lines", "listSecrets", {}, { acept: "x" }),
  ];
  await refused(calls, "options.");
  for (const odd of ODD) {
    const notUrl = odd instanceof URLSearchParams ? [] : [{ query: odd }];
    for (const raw of [...notUrl, { headers: odd }, { form: odd }, odd]) {
      const [name = "request"] = raw === odd ? [] : Object.keys(raw as object);
      await refused([() => ask("request", "POST", "/x", raw)], `${name}: expected a plain object`);
    }
    await refused([() => createClient(odd as ClientSettings)], "settings: expected an object with `server`");
  }
  await refused([() => ask("request", "GET", "/v2/secrets", { team: "acme" })], "request.team: expected one of ");
  await refused([() => create({ server, teamId: "acme" })], "settings.teamId: expected one of server, token, team, ");
  await refused([() => create({ server, slug: "acme" })], "settings.slug: expected one of ");
  assert.match(await refusalOf(() => create({ server, teamId: "acme" })), /; did you mean team\?/);
  for (const body of [new Map([["role", "VIEWER"]]), new Set(["*"]), new URLSearchParams("a=1"), () => "x"]) {
    await refused(
      [() => ask("call", "createApiKey", { body }), () => ask("request", "POST", "/x", { body })],
      "body: ",
    );
  }
});

test("a plain object of another context is one, and a member that is undefined is left out", async () => {
  const foreign = (text: string): unknown => runInNewContext(`(${text})`);
  const asked: string[] = [];
  const fetch = async (url: URL) => {
    asked.push(url.pathname + url.search);
    return Response.json({ secrets: [] });
  };
  const settings = Object.assign(foreign(`{ server: "${server}", team: undefined }`) as object, { fetch });
  const client = createClient(settings as unknown as ClientSettings);
  await client.call(
    "listSecrets",
    foreign('{ query: { slug: "acme", search: undefined }, body: undefined }') as object,
  );
  await client.call("listSecrets", Object.assign(Object.create(null), { query: { limit: 1 } }));
  const path = OPERATIONS.listSecrets.path;
  assert.deepEqual(asked, [`${path}?slug=acme`, `${path}?limit=1`]);
});

test("an empty value of a query is sent as it is, and none, or what is no value, is refused by name", async () => {
  const asked: string[] = [];
  const fetch = async (url: URL) => {
    asked.push(url.search);
    return Response.json({});
  };
  const client = createClient({ server, fetch });
  const params = { project: "shop", environment: "production" };
  for (const names of ["", [""], ["A", ""]]) {
    const input = { params, query: { names } };
    await client.call("getEnvironmentValues", input as never);
    await client.request("GET", "/x", { query: { names } });
  }
  await client.call("listEvents", { query: { userId: "" } });
  await client.call("createApiKey", { query: { dryRun: "" }, body: { name: "ci" } } as never);
  const [one, list] = ["?names=", "?names=A&names="];
  assert.deepEqual(asked, [one, one, one, one, list, list, "?userId=", "?dryRun="]);
  const strict = create({ server });
  for (const names of [null, [], [null], [undefined], {}, ["A", ["B"]], new Date(), () => "A"]) {
    const expected = /^TypeError: query\.names: expected a text, a number, true or false, or a list of some/;
    const query = { names } as never;
    assert.match(await refusalOf(() => strict.call("getEnvironmentValues", { params, query })), expected);
    assert.match(await refusalOf(() => strict.request("GET", "/x", { query })), expected);
    assert.match(await refusalOf(() => strict.items("listEvents", { query }).next()), expected);
  }
});

test("headers are texts that are not empty: an empty condition would be none, and an empty key another one", async () => {
  const client = create({ server });
  const [params, body] = [{ teamId: "acme" }, { name: "Acme" }];
  for (const ifMatch of ["", " ", 7, {}]) {
    const change = () => client.call("updateTeam", { params, body, ifMatch } as never);
    assert.match(await refusalOf(change), /^TypeError: ifMatch: expected a text/);
  }
  for (const ifNoneMatch of ["", "x", true]) {
    const change = () => client.call("updateTeam", { params, body, ifNoneMatch } as never);
    assert.match(await refusalOf(change), /^TypeError: ifNoneMatch: expected \*, or null/);
  }
  for (const idempotencyKey of ["", " ", null, 7]) {
    const options = { idempotencyKey } as never;
    const expected = /^TypeError: idempotencyKey: expected a text/;
    assert.match(await refusalOf(() => client.call("createTeam", { body: { slug: "acme" } }, options)), expected);
    assert.match(await refusalOf(() => client.request("POST", "/x", options)), expected);
  }
  for (const value of ["", undefined, null, 7]) {
    const headers = { "x-one": value } as never;
    assert.match(
      await refusalOf(() => client.request("GET", "/x", { headers })),
      /^TypeError: headers\.x-one: expected a text/,
    );
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
