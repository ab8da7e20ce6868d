// Invalid input of every kind, for every endpoint by its declaration: the refusal names the field, and nothing changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { takesBody } from "../../src/platform/kernel/contract.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import { OPERATIONS, exampleOf, urlOf } from "./operation-call.ts";
import type { Example } from "./example-things.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();

/** One request that must be refused. */
interface BadRequest {
  readonly what: string;
  readonly url?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  /** What the message has to name, or what `field` has to begin with. */
  readonly names: string;
}

const MEBIBYTE = 1_048_576;
const DEEP = 50_000;

/** The example's body with one member more. */
function withMember(body: unknown, key: string, value: unknown): unknown {
  if (Array.isArray(body)) return [withMember(body[0], key, value)];
  return { ...(body as object | undefined), [key]: value };
}

function isClosed(schema: TSchema): boolean {
  const { additionalProperties, items } = schema as { additionalProperties?: unknown; items?: TSchema };
  return additionalProperties === false || (items !== undefined && isClosed(items));
}

function badBodies(schema: TSchema, { body }: Example): BadRequest[] {
  const validator = Compile(schema);
  const cases: BadRequest[] = [
    { what: "malformed JSON", body: '{"a":', status: 400, names: "body" },
    { what: "two JSON values", body: "{} {}", status: 400, names: "body" },
    {
      what: "another content type",
      body: "a=1",
      headers: { "content-type": "text/plain" },
      status: 415,
      names: "Content-Type",
    },
    {
      what: "a form",
      body: "a=1",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      status: 415,
      names: "Content-Type",
    },
    {
      what: "another charset",
      body: "{}",
      headers: { "content-type": "application/json; charset=utf-16" },
      status: 415,
      names: "Content-Type",
    },
    { what: "an oversized body", body: JSON.stringify({ a: "x".repeat(MEBIBYTE) }), status: 413, names: "body" },
    { what: "a NUL in a key", body: withMember(body, "a\0", 1), status: 400, names: "expected text without NUL" },
    {
      what: "a NUL in a value",
      body: withMember(body, "a", "\0"),
      status: 400,
      names: "a: expected text without NUL",
    },
    {
      what: "a surrogate that stands alone",
      body: withMember(body, "a", "\ud800"),
      status: 400,
      names: "a: expected well-formed",
    },
    {
      what: "a reversed pair of surrogates",
      body: withMember(body, "a", "\udc00\ud800"),
      status: 400,
      names: "a: expected well-formed",
    },
    { what: "__proto__", body: '{"__proto__":{"isAdmin":true}}', status: 400, names: "__proto__" },
    { what: "a nested __proto__", body: '{"a":[{"__proto__":null}]}', status: 400, names: "__proto__" },
    { what: "constructor", body: '{"constructor":{"prototype":{}}}', status: 400, names: "constructor" },
    { what: "deep objects", body: '{"a":'.repeat(DEEP) + "1" + "}".repeat(DEEP), status: 400, names: "levels" },
    { what: "deep arrays", body: "[".repeat(DEEP) + "]".repeat(DEEP), status: 400, names: "levels" },
  ];
  if (isClosed(schema)) {
    cases.push({ what: "an unknown key", body: withMember(body, "unheardOf", 1), status: 400, names: "unheardOf: " });
  }
  for (const value of [null, true, 0, "text", [], {}, [[]], [null]]) {
    if (validator.Check(value)) continue;
    cases.push({
      what: `${JSON.stringify(value)} as the body`,
      body: JSON.stringify(value),
      status: 400,
      names: "body",
    });
  }
  return cases;
}

const NUMBERS_NOT = ["abc", "1e1", "0x10", "NaN", "Infinity", "-1", " 1", "1,5", "9".repeat(400)];

function badQueries(members: Readonly<Record<string, TSchema>>): BadRequest[] {
  const query = (what: string, text: string, names: string): BadRequest => ({ what, url: text, status: 400, names });
  const cases = [
    query("an unknown key", "unheardOf=1", "unheardOf: "),
    query("an unknown key without a value", "unheardOf", "unheardOf: "),
    query("a key that does not decode", "%ff=1", "query"),
    query("a value that does not decode", "slug=%ff", "query"),
    query("half an escape", "slug=%", "query"),
    query("an encoded surrogate", "slug=%ed%a0%80", "query"),
    query("a NUL in a key", "%00=1", ": unknown key"),
    query("a NUL in a value", "slug=%00", "slug: "),
    query("two teams by id", "teamId=a&teamId=b", "teamId: "),
    query("two teams by slug", "slug=a&slug=b", "slug: "),
  ];
  for (const [name, schema] of Object.entries(members)) {
    const { type, enum: values, ...others } = schema as { type?: string; enum?: string[] };
    if (type === "array") continue;
    // What commas separate may be repeated.
    if (!("x-list" in others)) cases.push(query(`${name} twice`, `${name}=1&${name}=1`, `${name}: `));
    if (type === "number" || type === "integer") {
      for (const text of NUMBERS_NOT)
        cases.push(query(`${name}=${text}`, `${name}=${encodeURIComponent(text)}`, `${name}: `));
    } else if (type === "boolean") {
      cases.push(query(`${name}=maybe`, `${name}=maybe`, `${name}: `));
    } else {
      cases.push(query(`a NUL in ${name}`, `${name}=a%00`, `${name}: `));
      if (values) cases.push(query(`${name}=unheardOf`, `${name}=unheardOf`, `${name}: `));
      // None of the forms has a space.
      const { "x-expected": form } = schema as { "x-expected"?: string };
      if (form) cases.push(query(`${name} in another form`, `${name}=%20`, `${name}: expected ${form}`));
    }
  }
  if (members["limit"]) {
    const { maximum } = members["limit"] as { readonly maximum?: number };
    assert.ok(maximum !== undefined);
    for (const text of ["0", String(maximum + 1), "1.5"])
      cases.push(query(`limit=${text}`, `limit=${text}`, "limit: "));
  }
  // Members of cursors that are timestamps: no value lies between two milliseconds.
  if ((members["since"] as { readonly type?: string })?.type === "number" && "until" in members) {
    cases.push(query("cursors that cross", "since=2&until=1", "since: "));
  }
  return cases;
}

/** A project is a name that needs no creation: any has these, if only empty. */
const OF_ANY_PROJECT = [
  "getProject",
  "listEnvironments",
  "listVariables",
  "deleteVariables",
  "listCustomEnvironments",
  "pullEnvironment",
];

/** Each path with one parameter replaced by what no parameter may be. */
function badPaths({ id, endpoint }: Operation, example: Example): { readonly what: string; readonly url: string }[] {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const odd = [
    "%ff",
    "%",
    "%00",
    "a%00b",
    "%ed%a0%80",
    "x".repeat(300),
    "..%2f..",
    "%2e%2e",
    "'%20or%201=1",
    "__proto__",
  ];
  const { owner, team } = world;
  const kinds = ["f".repeat(24), "0".repeat(64), "🙂"];
  const marker = "marker";
  // The paths whose last segment is a name of an object that need not exist: a text that is invalid elsewhere may be valid
  // here.
  const isGood = (text: string) =>
    (id === "createNamedSecret" && /^\w{1,100}$/.test(text)) ||
    (OF_ANY_PROJECT.includes(id) && /^[A-Za-z0-9]\w{0,99}$/.test(text)) ||
    // Clients resolve the dots: what is left is the list of a project that is called like the last segment.
    (["listEnvironmentVersions", "getEnvironmentValues"].includes(id) && text === "%2e%2e");
  return names.flatMap((name) => {
    const texts = [...odd, ...kinds.map(encodeURIComponent), name === "teamId" ? owner.id : team.id];
    return texts
      .filter((text) => !isGood(text))
      .map((text) => {
        const url = urlOf(endpoint.path, { ...example, params: { ...example.params, [name]: marker } });
        return { what: `${name}=${text.slice(0, 30)}`, url: url.replace(marker, text) };
      });
  });
}

/** Every schema inside of one, itself included. */
function schemasIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(schemasIn)];
}

test("every pattern has a description in words, for error messages", () => {
  const forms = OPERATIONS.flatMap(({ id, endpoint: { params, query, body } }) =>
    schemasIn([params, query, body])
      .filter(({ pattern }) => typeof pattern === "string")
      .map((schema) => [id, schema["pattern"], schema["x-expected"]] as const),
  );
  assert.ok(forms.length > 20);
  assert.deepEqual(
    forms.filter(([, , words]) => typeof words !== "string"),
    [],
  );
});

for (const operation of OPERATIONS) {
  const { id, endpoint } = operation;

  test(`${id}: invalid input is refused by name and changes nothing`, async () => {
    const example = await exampleOf(operation, world);
    const token = example.token ?? world.owner.token;
    const url = urlOf(endpoint.path, example);
    const body = example.body === undefined ? {} : { body: example.body };
    const members = endpoint.query?.properties ?? {};
    const changes = await world.watchStore();
    const cases = badQueries(members).map((bad) => ({
      ...body,
      ...bad,
      url: `${urlOf(endpoint.path, { params: example.params ?? {} })}?${bad.url}`,
    }));
    if (endpoint.body) cases.push(...badBodies(endpoint.body, example).map((bad) => ({ url, ...bad })));
    else if (takesBody(endpoint)) {
      cases.push({ what: "a body where none belongs", url, body: { unheardOf: 1 }, status: 400, names: "body" });
    }
    for (const { what, status, names, url: badUrl, ...options } of cases) {
      const response = await world.request(endpoint.method, badUrl, { ...options, token });
      assert.equal(response.status, status, `${what}: ${response.text}`);
      const { message, field } = response.body.error;
      assert.ok(message.includes(names) || field?.startsWith(names), `${what}: ${response.text}`);
      // The message has the sender's own name for the field, and `field` the path to it.
      if (field) assert.ok(message.startsWith(`${field.replace(/^(?:body|query)\./, "")}: `), response.text);
    }
    assert.deepEqual(await changes(), []);
  });

  if (endpoint.path.includes(":")) {
    test(`${id}: a path to a missing object is refused and changes nothing`, async () => {
      const example = await exampleOf(operation, world);
      const token = example.token ?? world.owner.token;
      const body = example.body === undefined ? {} : { body: example.body };
      const changes = await world.watchStore();
      for (const { what, url } of badPaths(operation, example)) {
        const response = await world.request(endpoint.method, url, { ...body, token });
        assert.ok(response.status >= 400 && response.status < 500, `${what}: ${response.status} ${response.text}`);
        assert.equal(typeof response.body.error.code, "string", what);
      }
      assert.deepEqual(await changes(), []);
    });
  }
}
