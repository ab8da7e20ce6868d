// The forms that requests and responses share, and the operations that differ: a table of docs/api.md.
import type { Endpoint } from "../src/platform/kernel/contract.ts";
import { ERROR_STATUS } from "../src/platform/kernel/errors.ts";
import { isTime } from "../src/platform/kernel/units.ts";
import { templatePath } from "../src/platform/operations/endpoint-details.ts";

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minProperties?: number;
  readonly description?: string;
  readonly "x-list"?: string;
}

interface Form {
  readonly form: string;
  readonly rule: string;
  /** Whether an operation differs from it. */
  differs(endpoint: Endpoint): boolean;
}

const membersOf = (schema: unknown) => (schema as Schema | undefined)?.properties ?? {};
const minimumOf = (schema: unknown) => (schema as Schema | undefined)?.minProperties ?? 0;
const isSome = (schema: unknown, is: (name: string, member: Schema) => boolean) =>
  Object.entries(membersOf(schema)).some(([name, member]) => is(name, member));

/** Whether a response is the object itself, by the members that objects have beside their kind's name. */
const isBare = ({ response }: Endpoint) => isSome(response, (name) => name === "createdAt");

const isTimeText = ({ type, description = "" }: Schema) => type === "string" && description.includes("ISO 8601");

export const FORMS: readonly Form[] = [
  {
    form: "one object",
    rule: 'in an envelope: `{"token": {…}}`',
    differs: (endpoint) => endpoint.method !== "DELETE" && isBare(endpoint),
  },
  {
    form: "what was deleted",
    rule: "200 with its `id`",
    differs: (endpoint) => endpoint.method === "DELETE" && !("id" in membersOf(endpoint.response)),
  },
  {
    form: "a change of nothing",
    rule: "`PATCH` with `{}` changes nothing and returns the object",
    differs: ({ method, body }) => method === "PATCH" && minimumOf(body) > 0,
  },
  {
    form: "`since` and `until`",
    rule: "ms since the epoch, or ISO 8601",
    differs: ({ query }) =>
      isSome(query, (name, member) => /^(?:since|until)$/.test(name) && !isTime(member) && !isTimeText(member)),
  },
  {
    form: "several values of a parameter",
    rule: "separated by commas, or the parameter repeated",
    differs: ({ query }) =>
      isSome(query, (_name, { type, description = "", "x-list": list }) =>
        type === "array"
          ? !description.includes("commas")
          : list === undefined && /^comma|by commas/i.test(description),
      ),
  },
  {
    form: "yes or no in a query",
    rule: "`true` or `false`",
    differs: ({ query }) => isSome(query, (name, { type }) => /^(?:is|with)[A-Z]/.test(name) && type !== "boolean"),
  },
];

/** Codes of conflicts with what is there whose status is not 409 or 412. */
export const OTHER_CONFLICTS = Object.entries(ERROR_STATUS)
  .filter(([code, status]) => /^already_|_(?:taken|exists)$/.test(code) && status !== 409)
  .map(([code]) => code);

export const callOf = ({ method, path }: Endpoint) => `${method} ${templatePath(path)}`;

/** A row for each form, with those that differ: of the endpoints that existing clients call, and of the others. */
export function formRows(endpoints: readonly Endpoint[]): string[][] {
  const named = (some: readonly Endpoint[]) => some.map((one) => `\`${callOf(one)}\``).join(", ");
  const rows = FORMS.map(({ form, rule, differs }) => {
    const others = endpoints.filter(differs);
    const isCalled = ({ aliases = [] }: Endpoint) => aliases.length > 0;
    return [form, rule, named(others.filter((one) => !isCalled(one))), named(others.filter(isCalled))];
  });
  const conflicts = OTHER_CONFLICTS.map((code) => `\`${code}\``).join(", ");
  return [
    ...rows,
    ["a conflict with what is there", "409; 412 for `If-Match` and `If-None-Match`", "", `400: ${conflicts}`],
  ];
}
