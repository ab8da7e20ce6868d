// Missing is not the same as empty: a parameter, a text or a list without content, as of a shell's variable that is not set, is refused
// with its name. Exceptions are written down here and in `empty-members.ts`.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { acceptedMembers } from "./empty-members.ts";
import { OPERATIONS, exampleOf, urlOf } from "./operation-call.ts";
import type { Example } from "./example-things.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();

/** Where a list begins and ends, and a search for nothing in particular. */
const TAKEN_AS_ABSENT = ["limit", "since", "until", "next", "offset", "cursor", "before", "after", "search"];

type Path = readonly (string | number)[];
interface Empty {
  readonly path: Path;
  readonly value: "" | readonly never[];
}
type Shape = TSchema & {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly enum?: readonly unknown[];
};

const memberOf = (value: unknown, name: string | number): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string | number, unknown>)[name] : undefined;

/** Every text and list of a body's schema, in objects that the example has. */
function emptiesOf(schema: Shape, value: unknown, path: Path = []): readonly Empty[] {
  if (schema.anyOf) return schema.anyOf.flatMap((one) => emptiesOf(one, value, path));
  const types = [schema.type].flat();
  const isHere = path.length === 0 || (typeof value === "object" && value !== null);
  if (schema.properties && !Array.isArray(value)) {
    if (!isHere) return [];
    return Object.entries(schema.properties).flatMap(([name, one]) =>
      emptiesOf(one, memberOf(value, name), [...path, name]),
    );
  }
  if (types.includes("array")) {
    const inside =
      memberOf(value, 0) === undefined ? [] : emptiesOf(schema.items as Shape, memberOf(value, 0), [...path, 0]);
    return path.length === 0 ? inside : [{ path, value: [] }, ...inside];
  }
  const isText = types.includes("string") || typeof schema.enum?.[0] === "string";
  return isText && path.length > 0 ? [{ path, value: "" }] : [];
}

function withEmpty(body: unknown, { path, value }: Empty): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const changed = withEmpty(memberOf(body, name), { path: rest, value });
  if (Array.isArray(body)) return body.with(name as number, changed);
  return { ...(body as object | undefined), [name]: changed };
}

const textOf = ({ path }: Empty): string => path.join(".");

/** Whether a response says that nothing was made of it: `createVariables` refuses each entry for itself. */
function isRefused(status: number, body: { readonly failed?: readonly unknown[] } | undefined): boolean {
  return status >= 400 || (body?.failed ?? []).length > 0;
}

for (const operation of OPERATIONS) {
  const { id, endpoint } = operation;
  const send = (example: Example, query: string, body: unknown = example.body) => {
    const url = urlOf(endpoint.path, example);
    return world.request(endpoint.method, query === "" ? url : `${url}${url.includes("?") ? "&" : "?"}${query}`, {
      token: example.token ?? world.owner.token,
      ...(body === undefined ? {} : { body }),
    });
  };

  const names = Object.keys(endpoint.query?.properties ?? {}).filter((name) => !TAKEN_AS_ABSENT.includes(name));
  if (names.length > 0) {
    test(`${id}: an empty parameter is refused by its name, and nothing happens`, async () => {
      const { query = {}, ...example } = await exampleOf(operation, world);
      const changes = await world.watchStore();
      for (const name of names) {
        const { [name]: _replaced, ...others } = query;
        for (const given of [name, `${name}=`]) {
          const { status, body } = await send({ ...example, query: others }, given);
          assert.deepEqual([status, body?.error?.field], [400, `query.${name}`], given);
          assert.match(body.error.message, /expected .*, got nothing/);
        }
      }
      assert.deepEqual(await changes(), []);
    });
  }

  if (!endpoint.body) continue;
  test(`${id}: an empty text or list of the body is refused unless the table has it`, async () => {
    const empties = emptiesOf(endpoint.body as Shape, (await exampleOf(operation, world)).body);
    const expected = acceptedMembers(id);
    const accepted = new Set<string>();
    const unlike: string[] = [];
    for (const empty of empties) {
      const example = await exampleOf(operation, world);
      const { status, body, text } = await send(example, "", withEmpty(example.body, empty));
      assert.ok(status < 500, text);
      if (!isRefused(status, body)) accepted.add(textOf(empty));
      else if (!expected.has(textOf(empty))) continue;
      else unlike.push(`${textOf(empty)}: ${text}`);
    }
    const found = [...accepted].toSorted();
    assert.deepEqual(found, [...expected].toSorted(), unlike.join("\n"));
  });
}
