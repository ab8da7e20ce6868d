// The fields of a body as rows, for readers without script.
import { limitsOf, membersOf, typeName } from "./schema-words.ts";
import type { JsonSchema, Resolve } from "./schema-words.ts";

export interface Field {
  /** Depth of nesting; 0 for the members of the body itself. */
  readonly depth: number;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** Limits of its value, such as "at most 48 characters". */
  readonly limits: readonly string[];
}

/** The contracts' schemas stand in place. */
const IN_PLACE: Resolve = (schema) => schema;

/** What a row says of one value. */
export function describeValue(schema: JsonSchema): Pick<Field, "type" | "description" | "limits"> {
  return {
    type: typeName(schema, IN_PLACE),
    description: schema.description ?? "",
    limits: limitsOf(schema, IN_PLACE),
  };
}

/** All fields of a body, each followed by its own fields. */
export function fieldsOf(schema: JsonSchema, depth = 0): Field[] {
  return membersOf(schema, IN_PLACE).flatMap(({ name, schema: member, isRequired }) => [
    { depth, name: name || "any name", isRequired, ...describeValue(member) },
    ...fieldsOf(member, depth + 1),
  ]);
}
