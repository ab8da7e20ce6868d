// Calls an endpoint by its declaration: it puts an example's values where the contract expects them.
import assert from "node:assert/strict";
import { operations } from "../../src/serve/composition/registry.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { EXAMPLES } from "./examples.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

export const OPERATIONS: readonly Operation[] = [...operations.values()];

export interface CallOptions {
  /** One of the endpoint's paths; the canonical one unless it says otherwise. */
  readonly path?: string;
  /** Null: no credential. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fresh example of the operation. */
export async function exampleOf({ id }: Operation, world: World): Promise<Example> {
  const create = EXAMPLES[id];
  assert.ok(create, `${id}: add an example to test/operations/examples.ts`);
  return await create(world);
}

export function urlOf(path: string, { params = {}, query = {} }: Example): string {
  const filled = path.replace(/:(\w+)/g, (_all, name: string) => {
    const value = params[name];
    assert.ok(value !== undefined, `the example lacks the parameter ${name} of ${path}`);
    return encodeURIComponent(value);
  });
  const text = new URLSearchParams(query).toString();
  return text === "" ? filled : `${filled}?${text}`;
}

export async function call(
  { endpoint }: Operation,
  world: World,
  example: Example,
  { path = endpoint.path, token = example.token ?? world.owner.token, headers = {} }: CallOptions = {},
): Promise<TestResponse> {
  return await world.request(endpoint.method, urlOf(path, example), {
    token,
    headers,
    ...(example.body === undefined ? {} : { body: example.body }),
  });
}

/** The same example about another team, wherever the endpoint takes one. */
export function aboutTeam({ endpoint }: Operation, example: Example, team: string): Example {
  return endpoint.path.includes(":teamId")
    ? { ...example, params: { ...example.params, teamId: team } }
    : { ...example, query: { ...example.query, teamId: team } };
}
