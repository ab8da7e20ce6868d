// Every list is walked page by page with nothing but what openapi.json says: the parameter that the description of `pagination.next` names,
// or the header `Link`. It has all that a long page has, each once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS, aboutTeam, call, exampleOf, urlOf } from "./operation-call.ts";
import type { Example } from "./example-things.ts";
import { createWorld } from "./world.ts";
import type { World } from "./world.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- JSON
type Json = any;

const world: World = await createWorld();
const { body: document } = (await world.request("GET", "/openapi.json")) as { readonly body: Json };

const resolved = (thing: Json): Json =>
  thing?.$ref === undefined
    ? thing
    : (thing.$ref as string)
        .slice("#/".length)
        .split("/")
        .reduce((at: Json, part: string) => at[part], document);

/** What the document says of an operation's pages; null: it has none. */
function pagesOf({ endpoint: { method, path } }: (typeof OPERATIONS)[number]) {
  const described = document.paths[path.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()];
  const parameters: Json[] = (described.parameters ?? []).map(resolved);
  const limit = parameters.find(({ name }) => name === "limit");
  const { headers = {}, content = {} } = described.responses["200"] ?? {};
  const schema = resolved(content["application/json"]?.schema);
  const next = resolved(resolved(schema?.properties?.pagination)?.properties?.next);
  if (method !== "GET" || !limit || (!next && !headers.Link)) return null;
  const [, parameter] = /`(\w+)`/.exec(next?.description ?? "") ?? [];
  return { limit: limit.schema as { readonly minimum?: number; readonly maximum?: number }, parameter };
}

const itemsOf = (body: Json): string[] =>
  (Array.isArray(body)
    ? body
    : Object.values(body as object)
        .filter(Array.isArray)
        .flat()
  ).map((item) => JSON.stringify(item));

/** More than this many pages is a walk without an end. */
const MOST_PAGES = 400;

async function walk(operation: (typeof OPERATIONS)[number], example: Example, parameter: string | undefined) {
  const limit = String(pagesOf(operation)?.limit.minimum ?? 1);
  const token = example.token ?? world.owner.token;
  const items: string[] = [];
  let url = urlOf(operation.endpoint.path, { ...example, query: { ...example.query, limit } });
  for (let pages = 0; ; pages++) {
    assert.ok(pages < MOST_PAGES, `${url} leads on and on`);
    const { status, body, headers, text } = await world.request("GET", url, { token });
    assert.equal(status, 200, text);
    items.push(...itemsOf(body));
    const [, linked] = /<([^>]*)>; rel="next"/.exec(headers["link"] ?? "") ?? [];
    const cursor = parameter === undefined ? null : body.pagination?.next;
    if (parameter === undefined) {
      if (linked === undefined) return items;
      url = linked;
    } else {
      if (cursor === null || cursor === undefined) return items;
      url = urlOf(operation.endpoint.path, {
        ...example,
        query: { ...example.query, limit, [parameter]: String(cursor) },
      });
    }
  }
}

/** Calls of these fill the lists. */
const MAKERS = new Set(
  "createUser createToken createApiKey createIdentityTrust createTeam createInvite createSecret changeEnvironments createProject createWebhook publishEvent createCheckpoint".split(
    " ",
  ),
);

const LISTS = OPERATIONS.filter((operation) => !operation.endpoint.streamsOnly && pagesOf(operation) !== null);

test("lists with pages are walked", async (t) => {
  for (const operation of OPERATIONS.filter(({ id }) => MAKERS.has(id))) {
    for (let times = 0; times < 3; times++) {
      const example = await exampleOf(operation, world);
      await call(operation, world, example);
      const { endpoint } = operation;
      if (endpoint.access.kind === "owner")
        await call(operation, world, aboutTeam(operation, await exampleOf(operation, world), world.team.id));
    }
  }
  let long = 0;
  for (const operation of LISTS) {
    await t.test(operation.id, async () => {
      const example = await exampleOf(operation, world);
      // Without filters.
      const scope = Object.entries(example.query ?? {}).filter(([name]) => name === "teamId" || name === "projectId");
      const query = Object.fromEntries(scope);
      const whole = { ...example, query: { ...query, limit: String(pagesOf(operation)?.limit.maximum ?? 100) } };
      const { body, status, text } = await call(operation, world, whole);
      assert.equal(status, 200, text);
      const expected = itemsOf(body);
      if (expected.length > 2) long += 1;
      const walked = await walk(operation, { ...example, query }, pagesOf(operation)?.parameter);
      assert.deepEqual(walked, expected);
    });
  }
  assert.ok(long >= 10, `${long} lists had several pages`);
});

test("openapi.json has at most 600 kB as it is served, and aliases only where they are asked for, deprecated", async () => {
  const { text } = await world.request("GET", "/openapi.json");
  assert.ok(Buffer.byteLength(text) <= 600_000, `${Buffer.byteLength(text)} bytes`);
  const all: Json = (await world.request("GET", "/openapi.json?aliases=true")).body;
  const aliases: Json[] = Object.entries<Json>(all.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).flatMap(([method, one]) => (document.paths[path]?.[method] === undefined ? [one] : [])),
  );
  assert.ok(aliases.length > 100);
  assert.ok(aliases.every(({ deprecated }) => deprecated === true));
});
