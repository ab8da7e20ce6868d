// What is wrong with an input is said by the sender's name for the field, what was expected, and the type that came instead.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import type { TSchema } from "typebox";
import { Nullable, OneOf, Pattern, RecordOf } from "../kernel/contract.ts";
import { compileCheck, compileMatch } from "./validation.ts";

const CLOSED = { additionalProperties: false } as const;
const Rule = Type.Object({ op: Type.Optional(OneOf(["eq", "inc"])), values: Type.Optional(Type.Array(Type.String())) });
const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));
const LONG = "n".repeat(300);

/** A schema, a value that does not fit, and the refusal; `expected` where it is not the end of the message. */
const INVALID: readonly (readonly [schema: TSchema, value: unknown, message: string, expected?: string])[] = [
  [Type.Object({}), undefined, "body: expected an object, got nothing", "an object"],
  [Type.Object({}), null, "body: expected an object, got null", "an object"],
  [Type.Object({}), [], "body: expected an object, got an array", "an object"],
  [Type.Object({}), 1, "body: expected an object, got a number", "an object"],
  [Type.Array(Type.String()), {}, "body: expected an array of strings, got an object", "an array of strings"],
  [Type.Object({ at: Type.Integer() }), { at: true }, "at: expected an integer, got a boolean", "an integer"],
  [
    Type.Object({ at: Nullable(Type.String()) }),
    { at: 1 },
    "at: expected a string or null, got a number",
    "a string or null",
  ],
  [Type.Object({ "a/b~c": Type.String() }), { "a/b~c": 1 }, "a/b~c: expected a string, got a number", "a string"],
  [Type.Object({ rules: Type.Array(Rule) }), { rules: [{}, { op: "re" }] }, "rules[1].op: expected one of eq, inc"],
  [
    Type.Object({ rules: Type.Array(Rule) }),
    { rules: [{ values: ["a", 1] }] },
    "rules[0].values[1]: expected a string, got a number",
    "a string",
  ],
  [Type.Object({ only: OneOf(["this"]) }), { only: "that" }, "only: expected this"],
  [Type.Object({ confirmed: Type.Literal(true) }), { confirmed: false }, "confirmed: expected true"],
  [
    Type.Object({ slug: Pattern("^[a-z]+$", "lower-case letters") }),
    { slug: "A" },
    "slug: expected lower-case letters",
  ],
  [Type.Object({ n: Type.String({ minLength: 1 }) }), { n: "" }, "n: expected at least 1 character"],
  [Type.Object({ n: Type.String({ maxLength: 2 }) }), { n: "abc" }, "n: expected at most 2 characters"],
  [Type.Object({ n: Type.Array(Type.String(), { minItems: 2 }) }), { n: [] }, "n: expected at least 2 items"],
  [Type.Object({ n: Type.Array(Type.String(), { maxItems: 1 }) }), { n: ["a", "b"] }, "n: expected at most 1 item"],
  [Type.Array(Type.String(), { maxItems: 1 }), ["a", "b"], "body: expected at most 1 item"],
  [Type.Array(Type.String(), { maxItems: 2 }), ["a", "b", "c"], "body: expected at most 2 items"],
  [Type.Object({}, { minProperties: 1 }), {}, "body: expected at least 1 member"],
  [RecordOf(Type.String(), { maxProperties: 1 }), { a: "", b: "" }, "body: expected at most 1 member"],
  [Type.Object({ n: Type.Number({ minimum: 1 }) }), { n: 0 }, "n: expected a number >= 1"],
  [Type.Object({ n: Type.Number({ exclusiveMaximum: 1 }) }), { n: 1 }, "n: expected a number < 1"],
  [Type.Object({ n: Type.Integer({ multipleOf: 60 }) }), { n: 61 }, "n: expected a multiple of 60"],
  [Type.Array(Type.String(), { uniqueItems: true }), ["a", "a"], "body: expected no item twice"],
  [Type.Object({ name: Type.String() }), {}, "name: is required: a string", "a string"],
  [
    Type.Object({ name: Type.String() }, CLOSED),
    { name: "", nmae: 1 },
    "nmae: unknown key; did you mean name?",
    "one of name",
  ],
  [Type.Object({ at: Type.Object({}, CLOSED) }), { at: { a: 1 } }, "at.a: unknown key", "no key"],
  [
    Type.Object({ name: Type.String() }, CLOSED),
    { name: "", ...unknown(20) },
    "k0: unknown key; expected one of name",
    "one of name",
  ],
  [Type.Object({ k: Type.String() }, CLOSED), unknown(600), "k0: unknown key; expected one of k", "one of k"],
  [Type.Object({}, CLOSED), { [LONG]: 1 }, `${"n".repeat(195)}...: unknown key`, "no key"],
  [Type.Object({}, CLOSED), { ["n".repeat(195)]: 1 }, `${"n".repeat(195)}: unknown key`, "no key"],
  // The branch that the sender meant is the one that fails deeper inside.
  [
    Type.Union([Type.String(), Type.Object({ rules: Type.Array(Rule) })]),
    { rules: [{ op: "re" }] },
    "rules[0].op: expected one of eq, inc",
  ],
  [Type.Union([Type.String(), Type.Number()]), true, "body: expected a string, got a boolean", "a string"],
];

for (const [schema, value, message, expected = message.replace(/^.*: expected /, "")] of INVALID) {
  test(`${message}: for ${JSON.stringify([value]).slice(0, 40)}`, () => {
    const field = message.replace(/: .*/, "");
    assert.throws(() => compileCheck("body", schema, "bad_request")(value), {
      code: "bad_request",
      message,
      details: { field: field === "body" ? field : `body.${field}`, expected },
    });
  });
}

test("a value that fits its schema is accepted, and matches it", () => {
  for (const value of [{ op: "eq" }, {}, { values: ["a"] }]) {
    compileCheck("body", Rule, "bad_request")(value);
    assert.equal(compileMatch(Rule)(value), true);
  }
  assert.equal(compileMatch(Rule)({ op: "re" }), false);
});

test("a schema is compiled once, whatever checks by it", () => {
  let reads = 0;
  const schema = new Proxy(Type.Object({ name: Type.Optional(Rule) }), {
    get(target, key, receiver) {
      reads++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  assert.ok(compileMatch(schema)({}));
  const compiling = reads;
  assert.ok(compiling > 0);
  compileMatch(schema)({});
  compileCheck("body", schema, "bad_request")({});
  assert.equal(reads, compiling);
});
