// openapi.json as the fuzzer reads it: each operation with what it takes, and what it may answer as compiled checks. It
// knows nothing of the contracts that the document is made from.
import { readFileSync } from "node:fs";
import { Compile } from "typebox/schema";

export type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** What one status of an operation may look like. */
export interface DocumentedResponse {
  /** The codes that this endpoint declares for the status; empty where it succeeds. */
  readonly codes: readonly string[];
  /** The error of a body, by media type; null: none. */
  readonly forms: ReadonlyMap<string, (body: unknown) => string | null>;
}

export interface Operation {
  readonly id: string;
  /** The operation that this path is another one of, or its own id. */
  readonly canonicalId: string;
  readonly method: string;
  /** `/v1/teams/{teamId}` */
  readonly template: string;
  readonly access: string;
  readonly pathParameters: readonly Parameter[];
  readonly queryParameters: readonly Parameter[];
  readonly body: { readonly schema: Schema; readonly isRequired: boolean } | null;
  readonly answers: ReadonlyMap<number, DocumentedResponse>;
}

// oxlint-disable-next-line typescript/no-explicit-any -- JSON
type Json = any;

const document: Json = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));

function follow(reference: string): Json {
  return reference
    .slice("#/".length)
    .split("/")
    .reduce((at, part) => at[part], document);
}

/** What a reference leads to, or the thing itself. */
function resolved(thing: Json): Json {
  return thing.$ref === undefined ? thing : follow(thing.$ref);
}

/** A schema without references; none leads back to itself. */
function inlined(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(inlined);
  if (typeof schema !== "object" || schema === null) return schema;
  if (typeof schema.$ref === "string") return inlined(follow(schema.$ref));
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, inlined(value)]));
}

/** The same schema, in which an object has no members but those that are described. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  const isOpen = !("properties" in members) || "additionalProperties" in members;
  return isOpen ? members : { ...members, additionalProperties: false };
}

/** A check that is compiled when it is first needed. */
function checkOf(schema: Json): (body: unknown) => string | null {
  let validator: ReturnType<typeof Compile> | undefined;
  return (body) => {
    validator ??= Compile(schema);
    if (validator.Check(body)) return null;
    const [, [error]] = validator.Errors(body);
    return JSON.stringify(error);
  };
}

const checks = new Map<string, DocumentedResponse>();

function responseOf(reference: Json, isSuccess: boolean): DocumentedResponse {
  // Operations share most of their refusals, and aliases all of their responses.
  const known = checks.get(reference.$ref);
  if (known) return known;
  const { content = {}, "x-error-codes": codes = [], "x-deprecated-streams": streams = [] } = resolved(reference);
  const forms = Object.entries(content as Record<string, Json>).map(([mediaType, { schema }]) => {
    const whole = inlined(schema);
    return [mediaType, checkOf(isSuccess ? closed(whole) : whole)] as const;
  });
  const streamed = (streams as readonly string[]).map((type) => [type, () => null] as const);
  const answer = { codes, forms: new Map<string, (body: unknown) => string | null>([...forms, ...streamed]) };
  if (reference.$ref !== undefined) checks.set(reference.$ref, answer);
  return answer;
}

/** What any call can be refused with, by status. */
const ANY_ERROR = follow("#/components/responses/AnyError");

function answersOf(responses: Record<string, Json>): ReadonlyMap<number, DocumentedResponse> {
  const { default: any, ...own } = responses;
  const answers = new Map(
    Object.entries(own).map(([status, answer]) => [Number(status), responseOf(answer, Number(status) < 400)]),
  );
  if (any === undefined) return answers;
  const { forms } = responseOf(any, false);
  for (const [status, codes] of Object.entries(ANY_ERROR["x-errors-by-status"] as Record<string, string[]>)) {
    const mine = answers.get(Number(status))?.codes ?? [];
    answers.set(Number(status), { codes: [...mine, ...codes], forms });
  }
  return answers;
}

function parametersIn(place: string, operation: Json): Parameter[] {
  return (operation.parameters ?? [])
    .map(resolved)
    .filter((parameter: Json) => parameter.in === place)
    .map(({ name, required = false, schema }: Json) => ({ name, isRequired: required, schema: inlined(schema) }));
}

function readOperation(method: string, template: string, operation: Json, isAlias: boolean): Operation {
  const body = operation.requestBody && resolved(operation.requestBody);
  return {
    id: isAlias ? `${operation.operationId} at ${template}` : operation.operationId,
    canonicalId: operation.operationId,
    method: method.toUpperCase(),
    template,
    access: operation["x-access"] ?? "public",
    // Some paths of an operation name less than others.
    pathParameters: parametersIn("path", operation).filter(({ name }) => template.includes(`{${name}}`)),
    queryParameters: parametersIn("query", operation),
    body: body
      ? { schema: inlined(body.content["application/json"].schema), isRequired: body.required === true }
      : null,
    answers: answersOf(operation.responses),
  };
}

export const OPERATIONS: readonly Operation[] = Object.entries(document.paths as Record<string, Json>).flatMap(
  ([template, methods]) =>
    Object.entries(methods as Record<string, Json>).flatMap(([method, operation]) =>
      [template, ...(operation["x-aliases"] ?? [])].map((path: string) =>
        readOperation(method, path, operation, path !== template),
      ),
    ),
);

/** By the id of their canonical path. */
export const OPERATION_BY_ID: ReadonlyMap<string, Operation> = new Map(
  OPERATIONS.map((operation) => [operation.id, operation]),
);

const ERROR_BODY = inlined(follow("#/components/schemas/Error"));
const PROBLEM_BODY = inlined(follow("#/components/schemas/Problem"));

/** The response schema outside of operations: the envelope of every refusal. */
export const ERROR_FORMS: DocumentedResponse["forms"] = new Map([
  ["application/json", checkOf(ERROR_BODY)],
  ["application/problem+json", checkOf(PROBLEM_BODY)],
]);

const TEMPLATES = Map.groupBy(
  new Set(OPERATIONS.map(({ template }) => template)),
  (template) => template.split("/").length,
);

function decodedSegments(path: string): string[] | null {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** The template that a path fits: where several do, the one that says most literally. */
function findTemplate(path: string): string | undefined {
  const parts = decodedSegments(path);
  if (!parts) return undefined;
  const literal = (segment: string) => !segment.startsWith("{");
  const fits = (TEMPLATES.get(parts.length) ?? []).filter((template) =>
    template.split("/").every((segment, at) => !literal(segment) || segment === parts[at]),
  );
  // A literal segment wins over a parameter, from the left.
  const rank = (template: string) => template.replace(/[^/]+/g, (segment) => (literal(segment) ? "0" : "1"));
  return fits.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))[0];
}

const BY_PLACE = new Map(OPERATIONS.map((operation) => [`${operation.method} ${operation.template}`, operation]));

/** The operation that a request is for, if it is for any. */
export function findOperation(method: string, path: string): Operation | undefined {
  const template = findTemplate(path);
  return template === undefined ? undefined : BY_PLACE.get(`${method === "HEAD" ? "GET" : method} ${template}`);
}
