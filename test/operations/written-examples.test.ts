// The examples of the reference, as curl and as TypeScript: each is run with a stand-in for what sends, and is the call of its
// endpoint; a server that gets them refuses none as malformed; and those of responses are what the contracts declare.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { transformSync } from "esbuild";
import { operationsOf } from "../../console/pages/api/operations.ts";
import type { ApiDocument, Operation } from "../../console/pages/api/operations.ts";
import { exampleUrl, snippetsOf } from "../../console/pages/api/snippets.ts";
import { describeApi } from "../../src/serve/reference/openapi.ts";
import { compileCheck } from "../../src/platform/operations/validation.ts";
import { operations } from "../../src/serve/composition/registry.ts";
import { startOwnApp } from "../harness/test-app.ts";

const BASE = "https://reeve.example.com/below/";
const DESCRIBED = operationsOf(describeApi([...operations.values()], "0.0.0") as unknown as ApiDocument);

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What an operation's example should send. */
function expected(operation: Operation): Sent {
  const { access, body, forms, method } = operation;
  const session = { cookie: "__Host-reeve=session", ...(method === "GET" ? {} : { origin: new URL(BASE).origin }) };
  return {
    method,
    url: exampleUrl(operation, BASE),
    headers: {
      ...(access === null ? {} : access === "session" ? session : { authorization: "Bearer token" }),
      ...(forms[0]?.type === "text/event-stream" ? { accept: "text/event-stream" } : {}),
      ...(body?.example === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body?.example,
  };
}

function textOf(operation: Operation, language: string): string {
  return snippetsOf(operation, BASE).find((one) => one.language === language)?.text ?? "";
}

const env = { REEVE_TOKEN: "token", REEVE_SESSION: "session" };

test("the examples for curl send the call that they are examples of", () => {
  const stub = String.raw`curl() { for word in "$@"; do printf '%s\000' "$word"; done; printf '\001'; }`;
  const script = [stub, ...DESCRIBED.map((one) => textOf(one, "curl"))].join("\n");
  const calls = execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\u0001");
  for (const [at, operation] of DESCRIBED.entries()) {
    const words = (calls[at] ?? "").split("\0").slice(0, -1);
    const after = (option: string) => words.flatMap((word, i) => (word === option ? [words[i + 1] ?? ""] : []));
    const [data] = after("-d");
    const sent = {
      method: after("-X")[0] ?? "GET",
      url: words.find((word) => word.startsWith("https:")),
      headers: Object.fromEntries(after("-H").map((line) => line.split(/: (.*)/, 2))),
      body: data === undefined ? undefined : JSON.parse(data),
    };
    assert.deepEqual(sent, expected(operation), operation.id);
  }
});

test("the examples for TypeScript send the call that they are examples of", async () => {
  for (const operation of DESCRIBED) {
    const sent: Sent[] = [];
    const fetch = async (url: string, { method = "GET", headers = {}, body }: RequestInit = {}) => {
      const known = { ...(headers as Record<string, string>) };
      sent.push({ method, url, headers: known, body: body === undefined ? undefined : JSON.parse(body as string) });
      return new Response("{}");
    };
    const { code } = transformSync(`run = async () => {${textOf(operation, "typescript")}}`, { loader: "ts" });
    const quiet = { log: () => undefined };
    await runInNewContext(`var run; ${code}; run()`, {
      fetch,
      process: { env },
      console: quiet,
      TextDecoderStream,
      Error,
    });
    assert.deepEqual(sent, [expected(operation)], operation.id);
  }
});

/** That a call is malformed, whatever it is about. */
const MALFORMED = /^(?:bad_request|unsupported_media_type|invalid_.*)$/;

test("a server refuses no example as malformed", async () => {
  const world = await startOwnApp();
  const reader = await world.createUser();
  for (const operation of DESCRIBED) {
    const { access, body, forms, id, method } = operation;
    if (access === null || forms[0]?.type === "text/event-stream") continue;
    const owner = access === "instance" ? world.admin : method === "GET" ? reader : await world.createUser();
    const team = await world.createTeam(owner);
    const url = exampleUrl(operation, "/").replace(/\bacme\b/, team.id);
    const { body: result } = await world.request(method, url, {
      token: owner.token,
      ...(body?.example === undefined ? {} : { body: body.example }),
    });
    const code = result?.error?.code;
    assert.ok(code === undefined || !MALFORMED.test(code), `${id}: ${JSON.stringify(result)}`);
  }
});

test("every response in JSON has an example that its contract declares", () => {
  const shown = DESCRIBED.filter(
    ({ forms, id }) => operations.has(id) && forms.some(({ type }) => type === "application/json"),
  );
  assert.ok(shown.length > 100);
  for (const { forms, id } of shown) {
    const { endpoint } = operations.get(id) ?? assert.fail(id);
    const check = compileCheck("response", endpoint.response, "internal_server_error");
    const { example } = forms.find(({ type }) => type === "application/json") ?? {};
    assert.doesNotThrow(() => check(example), `${id}: ${JSON.stringify(example)}`);
  }
});
