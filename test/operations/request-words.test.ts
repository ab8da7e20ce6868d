// What contracts say of the names and the numbers in requests, which errors repeat.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACTS } from "../../src/contracts.ts";
import { SYNONYMS } from "../../src/platform/kernel/text/synonyms.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly "x-unit"?: string;
}

/** Every schema within one, with the name of the member that it is of. */
function* partsOf(schema: Schema | undefined, name = ""): Iterable<{ readonly name: string; readonly part: Schema }> {
  if (!schema) return;
  yield { name, part: schema };
  const { properties = {}, items, anyOf = [], additionalProperties } = schema;
  for (const [member, inner] of Object.entries(properties)) yield* partsOf(inner, member);
  const others = typeof additionalProperties === "object" ? [additionalProperties] : [];
  for (const inner of [items, ...anyOf, ...others]) yield* partsOf(inner, name);
}

const PARTS = CONTRACTS.flatMap((contract) =>
  Object.entries(contract).flatMap(([id, { query, body, params }]) =>
    [query, body, params].flatMap((schema) => [...partsOf(schema as Schema)].map((one) => ({ id, ...one }))),
  ),
);

const TAKEN = new Set<unknown>(["teamId", "slug", ...PARTS.flatMap(({ name, part }) => [name, ...(part.enum ?? [])])]);

for (const [word, synonyms] of Object.entries(SYNONYMS)) {
  test(`${word} stands for names that calls take`, () => {
    assert.match(word, /^[a-z]+$/);
    assert.ok(!synonyms.includes(word));
    for (const name of synonyms) assert.ok(TAKEN.has(name), name);
  });
}

/** Names that say of a number that it is a time or a duration. */
const OF_TIME = /^(?:at|until|since|next|ttl)$|(?:At|Ms|Seconds|Timestamp|Until|Before)$/;

test("every number of a request that is a time or a duration has a unit", () => {
  const numbers = PARTS.filter(({ part: { type } }) =>
    [type].flat().some((one) => one === "integer" || one === "number"),
  );
  const times = numbers.filter(({ name, part: { type } }) => OF_TIME.test(name) && ![type].flat().includes("string"));
  assert.ok(times.length > 60, String(times.length));
  const without = times.filter(({ part }) => part["x-unit"] === undefined).map(({ id, name }) => `${id}: ${name}`);
  assert.deepEqual(without, []);
});
