// Query, path and body of a request against an endpoint's schemas: values of a query become what its schema says, and an error names the
// parameter as its sender knows it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import type { Endpoint } from "../kernel/contract.ts";
import { EPOCH_MS } from "../kernel/units.ts";
import { OneOf, Pattern } from "../kernel/contract.ts";
import { compileInput, readScope } from "./validation.ts";

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
  [{ limit: ["1e1"] }, "limit", "expected an integer"],
  [{ limit: ["1.5"] }, "limit", "expected an integer, got a number"],
  [{ ratio: ["1,5"] }, "ratio", "expected a number"],
  [{ dryRun: ["yes"] }, "dryRun", "expected true or false"],
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

test("a time of a query is ms or ISO 8601, and errors about it say so", () => {
  const endpoint = { query: Type.Object({ since: Type.Optional(Type.Number({ ...EPOCH_MS, minimum: 0 })) }) };
  for (const text of ["1767225600000", "2026-01-01", "2026-01-01T00:00:00Z"]) {
    assert.deepEqual(readQuery({ since: [text] }, endpoint), { since: 1_767_225_600_000 });
  }
  const unit = "ms since the epoch, such as 1767225600000";
  for (const [text, problem] of [
    ["yesterday", `expected a number, in ${unit}, or ISO 8601 as 2030-01-31T12:00:00Z`],
    ["-1", `expected a number >= 0, in ${unit}`],
    ["1767225600", `expected ${unit}, got seconds: send 1767225600000`],
  ] as const) {
    assert.throws(() => readQuery({ since: [text] }, endpoint), { message: `since: ${problem}` });
  }
});

test("a query that an endpoint needs is required", () => {
  const endpoint = { query: Type.Object({ since: Type.Integer() }) };
  assert.throws(() => readQuery({}, endpoint), { message: "since: is required: an integer", code: "invalid_query" });
  assert.throws(() => readQuery({ since: ["1"] }, {}), {
    message: "since: unknown key; expected one of teamId, slug",
    code: "invalid_query",
  });
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
    assert.throws(() => ask(kind), {
      code: "invalid_query",
      message,
      details: { field: "query.slug", expected: message.slice("slug: expected ".length, -"; leave it out".length) },
    });
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
  const wrong = { message: "name: is required: a string" };
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
