// What JSON cannot say is refused by its place in the body: written as null or left out it would be another request.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { create, record, refusalOf, server } from "./refusals.ts";

class Named {
  readonly name = "ci";
}

const UNSAYABLE: readonly (readonly [unknown, RegExp])[] = [
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((one) => [one, /a finite number/] as const),
  [new Date("soon"), /a valid date/],
  [runInNewContext('new Date("soon")'), /a valid date/],
  ...[
    new Map([["a", 1]]),
    new Set(["a"]),
    new WeakMap(),
    new URLSearchParams("a=1"),
    new Uint8Array(2),
    new Headers({ a: "1" }),
    new Error("a"),
    /a/,
    Promise.resolve(1),
    new Named(),
    Object.create({ role: "VIEWER" }) as unknown,
    Object(Number.NaN) as unknown,
    () => "a",
    Symbol("a"),
    1n,
  ].map((one) => [one, /what JSON can say/] as const),
];

const DEEP = [
  ["body", (value: unknown) => value],
  ["body.expiresAt", (value: unknown) => ({ name: "ci", expiresAt: value })],
  ["body[1]", (value: unknown) => ["a", value]],
  ["body.items[0].x", (value: unknown) => ({ items: [{ x: value }] })],
  ["body.a.b[2][0]", (value: unknown) => ({ a: { b: [1, 2, [value]] } })],
  ["body.later.x", (value: unknown) => ({ later: { toJSON: () => ({ x: value }) } })],
] as const;

test("what JSON cannot say is refused, at every depth, and named by its place", async () => {
  const client = create({ server, team: "acme" });
  for (const [value, expected] of UNSAYABLE) {
    for (const [place, wrap] of DEEP) {
      const body = wrap(value) as never;
      for (const send of [
        () => client.call("createApiKey", { body }),
        () => client.answer("createApiKey", { body }),
        () => client.request("POST", "/x", { body }),
        () => client.request("PATCH", "/x", { body }),
      ]) {
        const refusal = await refusalOf(send);
        assert.ok(refusal.startsWith(`TypeError: ${place}: expected `), `${place}: ${refusal}`);
        assert.match(refusal, expected);
      }
    }
  }
});

test("in a list nothing can be left out, and nothing can contain itself", async () => {
  const client = create();
  const round: Record<string, unknown> = { a: [] };
  (round["a"] as unknown[]).push({ round });
  for (const [place, body] of [
    ["body[0]", [undefined]],
    // oxlint-disable-next-line no-sparse-arrays
    ["body.items[1]", { items: ["a", , "b"] }],
    ["body.a[0].round", round],
  ] as const) {
    const refusal = await refusalOf(() => client.request("POST", "/x", { body }));
    assert.ok(refusal.startsWith(`TypeError: ${place}: expected what JSON can say`), refusal);
  }
});

test("what JSON can say is sent as JSON has it", async () => {
  const date = new Date(1_900_000_000_000);
  const shared = { b: [0.5, -1e300, true] };
  const { client, sent } = record();
  for (const [body, text] of [
    [null, "null"],
    ["", '""'],
    [0, "0"],
    [false, "false"],
    [[], "[]"],
    [{ a: undefined, b: null }, '{"b":null}'],
    [{ x: shared, y: shared }, '{"x":{"b":[0.5,-1e+300,true]},"y":{"b":[0.5,-1e+300,true]}}'],
    [{ at: date, url: new URL("https://example.com/") }, `{"at":"${date.toISOString()}","url":"https://example.com/"}`],
    [runInNewContext("({ a: [{ at: new Date(0) }] })"), '{"a":[{"at":"1970-01-01T00:00:00.000Z"}]}'],
    [Object.assign(Object.create(null) as object, { a: 1 }), '{"a":1}'],
    [JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ] as const) {
    await client.request("POST", "/x", { body });
    assert.equal(sent.at(-1)?.body, text);
  }
});
