// What is wrong with a value of one of several forms is said of the form that its tag names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import type { TSchema } from "typebox";
import { OneOf } from "../kernel/contract.ts";
import { compileCheck } from "./validation.ts";

const CLOSED = { additionalProperties: false } as const;
/** Forms that a tag tells apart: the second one comes after the first one's faults. */
const Source = Type.Union([
  Type.Object({ kind: OneOf(["hub", "pit"]), org: Type.String(), mode: Type.Optional(OneOf(["x"])) }, CLOSED),
  Type.Object(
    {
      kind: Type.Literal("lab"),
      group: Type.String(),
      mode: Type.Optional(OneOf(["y"])),
      sizes: Type.Optional(Type.Array(Type.Number())),
    },
    CLOSED,
  ),
  Type.Literal("unset"),
]);
const Sources = Type.Object({ sources: Type.Array(Source), name: Type.Optional(Type.String()) });
const Outer = Type.Union([
  Type.Object({ type: Type.Literal("none") }, CLOSED),
  Type.Object({ type: Type.Literal("some"), source: Source }, CLOSED),
]);
const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));

/** A schema, a value that does not fit, and the refusal. */
const INVALID: readonly (readonly [schema: TSchema, value: unknown, message: string])[] = [
  [Source, { kind: "lab", group: 1 }, "group: expected a string, got a number"],
  [Source, { kind: "lab" }, "group: is required: a string"],
  [Source, { kind: "lab", group: "", mode: "x" }, "mode: expected y"],
  [Source, { kind: "lab", group: "", gruop: 1 }, "gruop: unknown key; did you mean group?"],
  [Source, { kind: "lab", group: "", ...unknown(9) }, "k0: unknown key; expected one of kind, group, mode, sizes"],
  [Source, { kind: "lab", sizes: ["a"], group: "" }, "sizes[0]: expected a number, got a string"],
  [Source, { kind: "pit", org: "", mode: "y" }, "mode: expected x"],
  [Source, { kind: "other", group: "" }, "kind: expected one of hub, pit"],
  [
    Sources,
    { sources: [{ kind: "hub", org: "" }, "unset", { kind: "lab", group: 1 }] },
    "sources[2].group: expected a string, got a number",
  ],
  [Outer, { type: "some", source: { kind: "lab", group: 1 } }, "source.group: expected a string, got a number"],
  [Outer, { type: "some" }, 'source: is required: an object with kind, org or an object with kind, group or "unset"'],
  [Type.Union([Type.Literal("unset"), Type.Object({ a: Type.String() })]), {}, "a: is required: a string"],
];

for (const [schema, value, message] of INVALID) {
  test(`${message}: for ${JSON.stringify(value).slice(0, 60)}`, () => {
    const field = `body.${message.replace(/: .*/, "")}`;
    const check = compileCheck("body", schema, "bad_request");
    assert.throws(
      () => check(value),
      (error: { message: string; details: { field: string } }) => {
        assert.deepEqual([error.message, error.details.field], [message, field]);
        return true;
      },
    );
  });
}
