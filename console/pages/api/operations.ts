// The API's document, as /openapi.json serves it: its operations with what they refer to.
import type { JsonSchema as Schema, Resolve } from "../../../src/serve/reference/schema-words.ts";

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: string | number | boolean;
}

interface Ref {
  readonly $ref: string;
}

interface Body {
  readonly required: boolean;
  readonly content: { readonly "application/json": { readonly schema: Schema; readonly example?: unknown } };
}

interface ApiResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  readonly "x-error-codes"?: readonly string[];
}

/** An operation as the document has it. */
interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: Ref;
  readonly responses: Readonly<Record<string, ApiResponse | Ref>>;
  readonly "x-aliases"?: readonly string[];
  readonly "x-access"?: string;
  readonly "x-permission"?: string;
  readonly "x-emits"?: readonly string[];
  readonly "x-vercel-sdk"?: { readonly function: string; readonly request?: unknown };
}

export interface ApiDocument {
  readonly info: { readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An operation with what it refers to, as the pages show it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Further paths. */
  readonly aliases: readonly string[];
  readonly tag: string;
  readonly summary: string;
  /** What it does, in paragraphs. */
  readonly description: readonly string[];
  /** Who may call it. */
  readonly callers: string;
  readonly permission: string | null;
  /** `session`: the session of a browser alone; null: everybody, without a credential. */
  readonly access: string | null;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly isRequired: boolean; readonly schema: Schema; readonly example: unknown } | null;
  readonly status: number;
  /** What a successful response is. */
  readonly returns: string;
  /** Forms of the response by media type. */
  readonly forms: readonly { readonly type: string; readonly schema: Schema; readonly example?: unknown }[];
  /** Codes beyond those that every call can give, by status. */
  readonly errors: readonly { readonly status: number; readonly codes: readonly string[] }[];
  readonly events: readonly string[];
  readonly sdk: { readonly function: string; readonly request?: unknown } | null;
}

/** What a value refers to, or itself. */
export function resolve<T extends object>({ components }: Pick<ApiDocument, "components">, value: T | Ref): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T;
  const [kind = "", name = ""] = value.$ref.slice("#/components/".length).split("/");
  return components[kind]?.[name] as T;
}

/** What the schemas of a document refer to. */
export function resolverOf(document: ApiDocument): Resolve {
  return (schema) => resolve<Schema>(document, schema);
}

function errorsOf(document: ApiDocument, { responses }: Described): Operation["errors"] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const codes = status === "default" ? [] : (resolve(document, response)["x-error-codes"] ?? []);
    return codes.length > 0 ? [{ status: Number(status), codes }] : [];
  });
}

function operationOf(
  document: ApiDocument,
  [path, method, described]: readonly [string, string, Described],
): Operation {
  const [status = "200", response] = Object.entries(described.responses)[0] ?? [];
  const success = response && resolve<ApiResponse>(document, response);
  const body = described.requestBody && resolve<Body>(document, described.requestBody);
  const json = body?.content["application/json"];
  const paragraphs = described.description.split("\n\n");
  return {
    id: described.operationId,
    method: method.toUpperCase(),
    path,
    aliases: described["x-aliases"] ?? [],
    tag: described.tags[0] ?? "",
    summary: described.summary,
    // The server writes who may call as the last paragraph.
    description: paragraphs.slice(0, -1),
    callers: paragraphs.at(-1) ?? "",
    permission: described["x-permission"] ?? null,
    access: described["x-access"] ?? null,
    parameters: (described.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter)),
    body: json ? { isRequired: body.required, schema: json.schema, example: json.example } : null,
    status: Number(status),
    returns: success?.description ?? "",
    forms: Object.entries(success?.content ?? {}).map(([type, form]) => ({ type, ...form })),
    errors: errorsOf(document, described),
    events: described["x-emits"] ?? [],
    sdk: described["x-vercel-sdk"] ?? null,
  };
}

/** All operations, in the order of the document. */
export function operationsOf(document: ApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, described]) => operationOf(document, [path, method, described])),
  );
}

/** Whether a call changes anything: those calls take headers that others do not. */
export function changes({ access, method, parameters }: Operation): boolean {
  if (method === "GET") return false;
  return method !== "POST" || access === null || parameters.some(({ name }) => name === "Idempotency-Key");
}
