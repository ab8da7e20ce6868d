// Of an input with several faults each is said, the one that helps most first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import type { TSchema } from "typebox";
import type { ApiError } from "../kernel/errors.ts";
import { OneOf, RecordOf } from "../kernel/contract.ts";
import { compileCheck } from "./validation.ts";

const CLOSED = { additionalProperties: false } as const;
const Person = Type.Object(
  {
    name: Type.String(),
    age: Type.Integer({ minimum: 18 }),
    of: Type.Optional(Type.Object({ a: Type.String() }, CLOSED)),
  },
  CLOSED,
);
const Shape = Type.Union([
  Type.Object({ kind: Type.Literal("disc"), radius: Type.Number(), unit: Type.String() }),
  Type.Object({ kind: Type.Literal("box"), width: Type.Number() }),
]);

/** A schema, a value with several faults, and the message of each, the one of the refusal first. */
const SEVERAL: readonly (readonly [schema: TSchema, value: unknown, ...messages: string[]])[] = [
  [Person, { nmae: "", age: 20 }, "nmae: unknown key; did you mean name?", "name: is required: a string"],
  [Person, { age: 20 }, "name: is required: a string"],
  [Person, {}, "name: is required: a string", "age: is required: an integer"],
  [
    Person,
    { age: 1, extra: 1 },
    "age: expected a number >= 18",
    "name: is required: a string",
    "extra: unknown key; expected one of name, age, of",
  ],
  [
    Person,
    { name: 1, age: 20, of: { extra: 1 } },
    "name: expected a string, got a number",
    "of.extra: unknown key; expected one of a",
    "of.a: is required: a string",
  ],
  [
    Person,
    { age: 20, k0: 1, k1: 1, k2: 1 },
    "k0: unknown key; expected one of name, age, of",
    "k1: unknown key; expected one of name, age, of",
    "k2: unknown key; expected one of name, age, of",
    "name: is required: a string",
  ],
  [
    RecordOf(Type.Object({ set: RecordOf(Person) })),
    { a: { set: { b: { age: 20 } } } },
    "a.set.b.name: is required: a string",
  ],
  [
    RecordOf(Type.String()),
    { a: 1, b: "", c: null },
    "a: expected a string, got a number",
    "c: expected a string, got null",
  ],
  [
    Type.Object({ name: Type.String(), shape: Shape }),
    { shape: { kind: "disc" } },
    "shape.radius: is required: a number",
    "shape.unit: is required: a string",
    "name: is required: a string",
  ],
];

test("the choice that was probably meant is named", () => {
  const check = compileCheck("body", Type.Object({ role: OneOf(["OWNER", "MEMBER", "DEVELOPER"]) }), "bad_request");
  const expected = "one of OWNER, MEMBER, DEVELOPER";
  for (const [role, hint] of [
    ["DEVELOPPER", "; did you mean DEVELOPER?"],
    ["owner", "; did you mean OWNER?"],
    ["a-secret-by-mistake", ""],
    ["", ""],
    ["x".repeat(1_000_000), ""],
  ] as const) {
    const refusal = { message: `role: expected ${expected}${hint}`, details: { field: "body.role", expected } };
    assert.throws(() => check({ role }), refusal);
  }
});

for (const [schema, value, ...messages] of SEVERAL) {
  test(`all that is wrong with ${JSON.stringify(value)} is said at once`, () => {
    assert.throws(
      () => compileCheck("body", schema, "bad_request")(value),
      ({ message, details }: ApiError) => {
        assert.equal(message, messages[0]);
        const errors = (details["errors"] ?? [{ field: details["field"], message: message.replace(/^.*?: /, "") }]) as {
          readonly field: string;
          readonly message: string;
        }[];
        const said = errors.map((one) => `${one.field.replace("body.", "")}: ${one.message}`);
        assert.equal(said[0], messages[0]);
        assert.deepEqual(said.toSorted(), messages.toSorted());
        return true;
      },
    );
  });
}
