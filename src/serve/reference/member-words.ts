// Descriptions of members that their contracts leave out, because the name says it: by the name, or by `Title.member` where one name
// means several things. A contract's own description goes first.
import type { TSchema } from "typebox";
import WORDS from "./member-words.json" with { type: "json" };

const words = new Map<string, string>(Object.entries(WORDS));

/** The schema of a member or parameter with a description. `at`: what it belongs to. */
export function describeMember(name: string, at: string, schema: TSchema): TSchema & { readonly description?: string } {
  const { description, title }: { readonly description?: string; readonly title?: string } = schema;
  const found = description ?? words.get(`${at}.${name}`) ?? words.get(name);
  if (found === undefined) {
    throw new Error(`${at}.${name}: describe it in its contract, or the name in src/serve/reference/member-words.json`);
  }
  const described = describeMembers(schema, title ?? `${at}.${name}`);
  // What has a title is described once, and not as a member of something.
  return title === undefined ? { ...described, description: found } : described;
}

/** The same schema, in which each member of an object has a description. `at`: the title of the schema, or the path to it. */
export function describeMembers(schema: TSchema, at: string): TSchema {
  const { title, description, properties, items, additionalProperties, anyOf } = schema as Readonly<
    Record<string, unknown>
  >;
  const within = typeof title === "string" ? title : at;
  const ofTitle = typeof title === "string" && description === undefined ? words.get(title) : undefined;
  const each = (one: unknown) => describeMembers(one as TSchema, within);
  return {
    ...schema,
    ...(ofTitle !== undefined && { description: ofTitle }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, TSchema>).map(([name, member]) => [
          name,
          describeMember(name, within, member),
        ]),
      ),
    }),
    ...(typeof items === "object" && { items: each(items) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: each(additionalProperties) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.map(each) }),
  };
}
