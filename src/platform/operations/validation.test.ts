// What is wrong with an input is said by the sender's name for the field, what was expected, and the type that came instead.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import type { TSchema } from "typebox";
import type { Endpoint } from "../kernel/contract.ts";
import { Nullable, OneOf, Pattern, RecordOf } from "../kernel/contract.ts";
import { compileCheck, compileInput, compileMatch, readScope } from "./validation.ts";

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
  [Type.Array(Type.String()), {}, "body: expected an array, got an object", "an array"],
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
  [Type.Object({ name: Type.String() }), {}, "name: is required", "a value"],
  [
    Type.Object({ name: Type.String() }, CLOSED),
    { name: "", nmae: 1 },
    "nmae: unknown key; did you mean name?",
    "no such key",
  ],
  [Type.Object({ at: Type.Object({}, CLOSED) }), { at: { a: 1 } }, "at.a: unknown key", "no such key"],
  [Type.Object({ name: Type.String() }, CLOSED), { name: "", ...unknown(20) }, "k0: unknown key", "no such key"],
  [Type.Object({ k: Type.String() }, CLOSED), unknown(600), "k0: unknown key; did you mean k?", "no such key"],
  [Type.Object({}, CLOSED), { [LONG]: 1 }, `${"n".repeat(195)}...: unknown key`, "no such key"],
  [Type.Object({}, CLOSED), { ["n".repeat(195)]: 1 }, `${"n".repeat(195)}: unknown key`, "no such key"],
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

const ENDPOINT = {
  path: "/",
  tag: "",
  summary: "",
  response: Type.Null(),
  errors: [],
  emits: [],
  method: "GET",
} as const;
const inputOf = (endpoint: Partial<Endpoint>) =>
  compileInput({ ...ENDPOINT, access: { kind: "owner", permission: "team:read" }, ...endpoint } as Endpoint);

const query = Type.Object({
  limit: Type.Optional(Type.Integer()),
  ratio: Type.Optional(Type.Number()),
  dryRun: Type.Optional(Type.Boolean()),
  state: Type.Optional(OneOf(["open", "ended"])),
  name: Type.Optional(Type.String()),
  types: Type.Optional(Type.Array(Type.String())),
  any: Type.Optional(Type.Unsafe<string>({})),
});

function readQuery(
  values: Readonly<Record<string, readonly string[]>>,
  endpoint: Partial<Endpoint> = { query },
): unknown {
  return inputOf(endpoint).query(new Map(Object.entries(values)));
}

test("values of a query become what its schema says", () => {
  assert.deepEqual(readQuery({}), {});
  assert.deepEqual(
    readQuery({
      limit: ["-12"],
      ratio: ["0.5"],
      dryRun: ["true"],
      state: ["open"],
      name: ["true"],
      types: ["a", "b"],
      any: ["1"],
    }),
    { limit: -12, ratio: 0.5, dryRun: true, state: "open", name: "true", types: ["a", "b"], any: "1" },
  );
  assert.deepEqual(readQuery({ dryRun: ["false"], types: ["a"], teamId: ["team_1"], slug: ["shop"] }), {
    dryRun: false,
    types: ["a"],
  });
  // A list from its beginning.
  assert.deepEqual(readQuery({ limit: [""], name: ["a"] }), { name: "a" });
  assert.deepEqual(readQuery({ slug: ["shop"] }, {}), {});
});

const INVALID_QUERY: readonly (readonly [
  Readonly<Record<string, readonly string[]>>,
  field: string,
  problem: string,
])[] = [
  [{ limit: ["1e1"] }, "limit", "expected an integer, got a string"],
  [{ limit: ["1.5"] }, "limit", "expected an integer, got a number"],
  [{ ratio: ["1,5"] }, "ratio", "expected a number, got a string"],
  [{ dryRun: ["yes"] }, "dryRun", "expected a boolean, got a string"],
  [{ state: ["any"] }, "state", "expected one of open, ended"],
  [{ naem: ["a"] }, "naem", "unknown key; did you mean name?"],
  [{ slgu: ["a"] }, "slgu", "unknown key; did you mean slug?"],
  [{ name: ["a", "b"] }, "name", "expected once, got 2 times"],
  [{ name: ["a\0"] }, "name", "expected text without NUL characters"],
  [{ slug: ["a\0"] }, "slug", "expected text without NUL characters"],
  [{ name: [""] }, "name", "expected a value, got nothing; else leave it out"],
  [{ types: ["a", ""] }, "types", "expected a value, got nothing; else leave it out"],
  [{ state: [""] }, "state", "expected one of open, ended, got nothing; else leave it out"],
  [{ dryRun: [""] }, "dryRun", "expected true or false, got nothing; else leave it out"],
  [{ teamId: [""] }, "teamId", "expected the id or slug of a team, got nothing; without a team, leave it out"],
];

for (const [values, field, problem] of INVALID_QUERY) {
  test(`query: ${field}: ${problem}`, () => {
    const message = `${field}: ${problem}`;
    assert.throws(
      () => readQuery(values),
      (error: Error & { details: { field: string } }) => {
        assert.deepEqual([error.message, error.details.field], [message, `query.${field}`]);
        return true;
      },
    );
  });
}

test("a query that an endpoint needs is required", () => {
  const endpoint = { query: Type.Object({ since: Type.Integer() }) };
  assert.throws(() => readQuery({}, endpoint), { message: "since: is required", code: "invalid_query" });
  assert.throws(() => readQuery({ since: ["1"] }, {}), { message: "since: unknown key", code: "invalid_query" });
});

test("an empty teamId is an absent one where existing clients call, and of what is nobody's but the caller's", () => {
  const accepts = (endpoint: Partial<Endpoint>) => {
    try {
      return readQuery({ teamId: [""] }, endpoint) && true;
    } catch {
      return false;
    }
  };
  const user = { access: { kind: "user" } } as const;
  assert.deepEqual(
    [
      {},
      { aliases: ["/v0"] },
      { ...user, aliases: ["/v0"] },
      { acceptsEmptyTeam: true },
      { ...user, acceptsEmptyTeam: false },
      { aliases: [] },
    ].map(accepts),
    [false, true, true, true, false, false],
  );
});

test("what is about no team takes none, unless existing clients call it", () => {
  const ask = (kind: string, aliases: string[] = []) =>
    readQuery({ slug: ["acme"] }, { access: { kind } as Endpoint["access"], aliases });
  for (const [kind, about] of [
    ["user", "you"],
    ["instance", "the whole instance"],
  ] as const) {
    const message = `slug: expected no team, because this is about ${about}; leave it out`;
    assert.throws(() => ask(kind), { code: "invalid_query", message, details: { field: "query.slug" } });
    assert.deepEqual(ask(kind, ["/v0"]), {});
  }
  for (const kind of ["owner", "team", "known-team", "key"]) assert.deepEqual(ask(kind), {});
});

test("the path is checked by its schema, and for text that can't be stored", () => {
  const input = inputOf({ params: Type.Object({ id: Pattern("^x", "an x") }) });
  input.params({ id: "x1" });
  assert.throws(() => input.params({ id: "y" }), { code: "invalid_path", message: "id: expected an x" });
  assert.throws(() => input.params({ id: "x\0" }), { message: "id: expected text without NUL characters" });
  inputOf({}).params({ id: "y" });
});

test("where no body is expected, none and {} are accepted", () => {
  const { body } = inputOf({});
  for (const accepted of [undefined, {}]) body(accepted);
  for (const refused of [null, 0, "", "a", true, { a: 1 }, ["a"]]) {
    assert.throws(() => body(refused), { code: "bad_request", message: "body: expected no body" });
  }
});

test("a body is checked by its schema, unless it is optional and absent, or the handler checks it", () => {
  const schema = Type.Object({ name: Type.String() });
  const missing = { message: "body: expected an object, got nothing" };
  const wrong = { message: "name: is required" };
  for (const [more, absent] of [
    [{}, missing],
    [{ isBodyOptional: true }, null],
  ] as const) {
    const input = inputOf({ body: schema, ...more });
    input.body({ name: "a" });
    assert.throws(() => input.body({}), wrong);
    if (absent) assert.throws(() => input.body(undefined), absent);
    else input.body(undefined);
  }
  for (const body of [undefined, {}, 1]) inputOf({ body: schema, isBodyChecked: true }).body(body);
});

test("the team of a query is that of its teamId and slug", () => {
  const values = new Map([
    ["teamId", ["team_1"]],
    ["slug", ["shop", "shop"]],
  ]);
  assert.deepEqual(readScope(values), { teamId: "team_1", slug: "shop" });
  assert.deepEqual(readScope(new Map()), { teamId: null, slug: null });
});
