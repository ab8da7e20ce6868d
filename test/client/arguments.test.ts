// What a program gives the client wrongly is a TypeError that names the argument and what is expected, before anything is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { createClient } from "../../src/client/client.ts";
import type { Client, ClientSettings } from "../../src/client/client.ts";

const server = "http://127.0.0.1:9";

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
