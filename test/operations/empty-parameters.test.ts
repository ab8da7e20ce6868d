// `openapi.json` says which parameters refuse an empty value, so that generated clients and forms can refuse it themselves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { templatePath } from "../../src/platform/operations/endpoint-details.ts";
import { OPERATIONS, exampleOf, urlOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly minLength?: number;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly items?: Schema;
}
interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: Schema;
}
type Node = Readonly<Record<string, unknown>>;

const world = await createWorld();
const document = (await world.request("GET", "/openapi.json")).body as Node;

/** The node itself, or the one that it refers to. */
function resolve<T>(node: T): T {
  const { $ref, ...rest } = node as { readonly $ref?: string };
  if ($ref === undefined) return node;
  const names = $ref.split("/").slice(1);
  return { ...(names.reduce((at: unknown, name) => (at as Node)[name], document) as T), ...rest };
}

/** The schema of a text, also of one in a list; undefined: an empty value is no number and no boolean, which needs no word. */
function textOf(schema: Schema): Schema | undefined {
  const { type, items, ...rest } = resolve(schema);
  if (type === "array") return textOf(items as Schema);
  return type === undefined || type === "string" ? rest : undefined;
}

/** Whether an empty text does not fit a schema. */
function refusesEmpty({ minLength = 0, enum: values, pattern }: Schema): boolean {
  return (
    minLength > 0 || values?.includes("") === false || (pattern !== undefined && !new RegExp(pattern, "u").test(""))
  );
}

for (const operation of OPERATIONS) {
  const { id, endpoint } = operation;
  test(`${id}: the document says of each parameter whether it may be empty`, async () => {
    const path = (document["paths"] as Record<string, Node>)[templatePath(endpoint.path)] as Node;
    const { parameters } = path[endpoint.method.toLowerCase()] as { readonly parameters: readonly Parameter[] };
    const said: string[] = [];
    const found: string[] = [];
    for (const { in: place, name, schema } of parameters.map(resolve)) {
      const text = textOf(schema);
      if (place === "header" || text === undefined) continue;
      if (refusesEmpty(text)) said.push(name);
      // Without its value the path is another one.
      if (place === "path") found.push(name);
      else {
        const { query: { [name]: _replaced, ...query } = {}, ...example } = await exampleOf(operation, world);
        const url = urlOf(endpoint.path, { ...example, query: { ...query, [name]: "" } });
        const { body, status } = await world.request(endpoint.method, url, {
          token: example.token ?? world.owner.token,
          // A live stream that accepts the parameter is refused for this, and does not begin.
          headers: { "last-event-id": "none" },
          ...(example.body === undefined ? {} : { body: example.body }),
        });
        if (status === 400 && body.error.field === `query.${name}`) found.push(name);
      }
    }
    // A pattern of a cursor says nothing of an empty one, which is the first page.
    assert.deepEqual(
      said.filter((name) => name !== "cursor"),
      found,
    );
  });
}
