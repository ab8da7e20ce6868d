// Arguments of the client that would be another request, or none, without a word: each is a TypeError that names it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyWebhook } from "../../src/client/webhook.ts";
import type { ReceivedWebhook } from "../../src/client/webhook.ts";
import { create, record, refusalOf, server } from "./refusals.ts";

const TOKEN = "rvt_0123456789abcdef";

async function refused(name: string, work: () => unknown): Promise<void> {
  const refusal = await refusalOf(work);
  assert.ok(refusal.startsWith(`TypeError: ${name}: expected `), `${name}, ${String(work)}: ${refusal}`);
  assert.doesNotMatch(refusal, /0123456789/);
}

test("a header with another credential than the client's token is refused", async () => {
  for (const token of [TOKEN, async () => TOKEN]) {
    for (const name of ["authorization", "Authorization", "AUTHORIZATION"]) {
      const headers = { [name]: "Bearer rvt_9876543210" };
      await refused("headers.authorization", () => create({ server, token }).request("GET", "/x", { headers }));
    }
  }
  const { client, sent } = record();
  await client.request("GET", "/x", { headers: { authorization: "Basic YTpi" } });
  assert.equal(sent[0]?.headers.get("authorization"), "Basic YTpi");
});

test("a header that is given is sent as it is, in whatever case its name is", async () => {
  const { client, sent } = record({ userAgent: "mine/1" });
  const headers = { Accept: "text/csv", "User-Agent": "other/1", "Content-Type": "application/merge-patch+json" };
  await client.request("PATCH", "/x", { headers, body: {} });
  await client.request("PATCH", "/x", { body: {} });
  assert.deepEqual(
    sent.map((one) => ["accept", "user-agent", "content-type"].map((name) => one.headers.get(name))),
    [Object.values(headers), ["application/json", "mine/1", "application/json"]],
  );
});

test("a path is a text without a fragment: what follows it would not be sent", async () => {
  const client = create();
  for (const path of ["/v2/secrets#?slug=acme", "/x#", "#", "/x?a=1#b", undefined, null, 7, "", new URL(server)]) {
    await refused("path", () => client.request("GET", path as string));
  }
  const { client: open, sent } = record();
  await open.request("GET", "/v2/secrets/a%23b?slug=acme");
  assert.equal(sent[0]?.target, "/v2/secrets/a%23b?slug=acme");
});

test("a method counts in whatever case it is written, and is a word", async () => {
  for (const method of ["post", "Post", "patch", "get"]) {
    const { client, sent } = record();
    await client.request(method, "/x");
    assert.equal(sent[0]?.method, method.toUpperCase());
    assert.equal(sent[0].headers.has("idempotency-key"), method.toUpperCase() === "POST");
  }
  for (const method of [undefined, null, "", "GET ", "GET\n", 7]) {
    await refused("method", () => create().request(method as string, "/x"));
  }
});

test("a read has no body, and a form none beside it", async () => {
  for (const method of ["GET", "head"]) {
    for (const sent of [{ body: {} }, { body: null }])
      await refused("body", () => create().request(method, "/x", sent));
    await refused("form", () => create().request(method, "/x", { form: {} }));
  }
  await refused("body", () => create().call("listTeams", { body: {} } as never));
  await refused("form", () => create().request("POST", "/x", { form: { a: "1" }, body: {} }));
});

test("a member of a form that is undefined is left out, and none is refused", async () => {
  const { client, sent } = record();
  await client.request("POST", "/x", { form: { a: undefined, b: "", c: "1" } as never });
  assert.equal(sent[0]?.body, "b=&c=1");
  for (const a of [null, {}, [], Symbol("a")]) {
    await refused("form.a", () => create().request("POST", "/x", { form: { a } as never }));
  }
});

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  timeoutMs: [Number.POSITIVE_INFINITY, Number.NaN, -1, 0, 2 ** 31, "50", null, {}],
  retries: [-1, Number.NaN, 1.5, Number.POSITIVE_INFINITY, "3", null, true],
};

test("settings and options that no client can have are refused by name", async () => {
  const settings = { ...WRONG, userAgent: [null, "", " ", 7], fetch: [null, "fetch", {}], token: [null], team: [null] };
  for (const [name, values] of Object.entries(settings)) {
    for (const value of values) await refused(name, () => create({ server, [name]: value }));
  }
  const options = { ...WRONG, signal: [null, {}, new AbortController(), 50], idempotencyKey: [null, "", 7] };
  for (const [name, values] of Object.entries(options)) {
    for (const value of values) {
      const given = { [name]: value } as object;
      await refused(name, () => create().call("listTeams", {}, given));
      await refused(name, () => create().answer("listTeams", {}, given));
      await refused(name, () => create().items("listTeams", {}, given).next());
      await refused(name, () => create().pages("listTeams", {}, given).next());
      await refused(name, () =>
        create()
          .lines("exportEvents", {}, { accept: "text/csv", ...given })
          .next(),
      );
      await refused(name, () => create().request("GET", "/x", given));
    }
  }
  const lines = { onOpen: [null, {}], silenceMs: WRONG["timeoutMs"] ?? [], accept: [null, "", 7] };
  for (const [name, values] of Object.entries(lines)) {
    for (const value of values) {
      const given = { accept: "text/event-stream", [name]: value } as never;
      await refused(name, () => create().lines("streamEvents", {}, given).next());
    }
  }
  await refused("accept", () =>
    create()
      .lines("exportEvents", {}, {} as never)
      .next(),
  );
  for (const name of ["isRepeatable", "isStream"]) {
    for (const value of [null, "false", 0]) await refused(name, () => create().request("GET", "/x", { [name]: value }));
  }
  for (const name of ["headers", "form"]) {
    await refused(name, () => create().request("POST", "/x", { [name]: null }));
  }
});

test("a webhook is given what is read of it, and nothing else", async () => {
  const webhook = { headers: {}, body: "{}", secret: "whsec_AAAA" };
  const verify = (received: unknown) => () => verifyWebhook(received as ReceivedWebhook);
  for (const none of [undefined, null, "{}", new Map(), [webhook]]) await refused("received", verify(none));
  await refused("received.tolerance", verify({ ...webhook, tolerance: 1 }));
  await refused("received.toleranceMS", verify({ ...webhook, toleranceMS: 1 }));
  for (const [name, values] of Object.entries({
    headers: [undefined, null, "webhook-id: a", 7],
    body: [undefined, null, {}, 7],
    secret: [undefined, null, 7, {}, [7], [null]],
    toleranceMs: [null, "300", {}],
    now: [null, new Date(), "0"],
  })) {
    for (const value of values) await refused(name, verify({ ...webhook, [name]: value }));
  }
});

test("an option that is undefined leaves that of the settings", async () => {
  let tries = 0;
  const hang = async (_url: URL, { signal }: RequestInit) => {
    tries++;
    return await new Promise<Response>((_resolve, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
  };
  const client = create({ server, fetch: hang, retries: 0, timeoutMs: 20 });
  const options = { retries: undefined, timeoutMs: undefined } as never;
  await assert.rejects(client.call("listTeams", {}, options), /does not answer within 20 ms/);
  await assert.rejects(client.request("GET", "/x", options), /does not answer within 20 ms/);
  assert.equal(tries, 2);
});
