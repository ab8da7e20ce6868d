// The five secrets calls of the generated SDK's last release that has them (the pre-release 0.8.0 of 2024). No registry
// holds that release, so this sends the requests that it sends and reads answers as strictly as it does: one status, one
// content type, every member of the kind that its schema names; its caller gets what the schema names and nothing else.
import type { TSchema } from "typebox";
import { Compile } from "typebox/schema";
import { Type } from "typebox";
import { recordEvidence } from "../../harness/evidence.ts";
import type { Body } from "../../harness/test-app.ts";

/** The release that this sends and reads as. */
export const RELEASE = "0.8.0";

const Time = Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$` });
const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);

const SECRET_MEMBERS = {
  created: Time,
  name: Type.String(),
  teamId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  uid: Type.String(),
  userId: Type.Optional(Type.String()),
  createdAt: Type.Optional(Type.Number()),
  projectId: Type.Optional(Type.String()),
  decryptable: Type.Optional(Type.Boolean()),
};

const Secret = Type.Object({ ...SECRET_MEMBERS, value: Type.Optional(Type.String()) });

const SecretList = Type.Object({
  secrets: Type.Array(Secret),
  pagination: Type.Object({ count: Type.Number(), next: NumberOrNull, prev: NumberOrNull }),
});

const CreatedSecret = Type.Object({
  ...SECRET_MEMBERS,
  value: Type.Object({
    type: Type.Optional(Type.Literal("Buffer")),
    data: Type.Optional(Type.Array(Type.Number())),
  }),
});

const RenamedSecret = Type.Object({
  uid: Type.String(),
  name: Type.String(),
  created: Time,
  oldName: Type.String(),
});

const DeletedSecret = Type.Object({ uid: Type.String(), name: Type.String(), created: Type.Number() });

/** What the client hands to its caller: the members that its schema names, the ISO times as dates. */
function pick(schema: TSchema, value: Body): Body {
  if (schema === Time) return new Date(value);
  const { properties, items } = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  if (items) return value.map((item: Body) => pick(items, item));
  if (!properties) return value;
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => Object.hasOwn(value, name))
      .map(([name, member]) => [name, pick(member, value[name])]),
  );
}

export class SdkError extends Error {
  readonly statusCode: number;
  readonly body: string;

  constructor(message: string, statusCode: number, body: string) {
    super(`${message}: ${statusCode} ${body}`);
    this.statusCode = statusCode;
    this.body = body;
  }
}

/** Whose secrets: the team's that one of them names, else the caller's own. */
export interface Scope {
  readonly teamId?: string;
  readonly slug?: string;
}

interface Query extends Scope {
  /** Ids, separated by commas. */
  readonly id?: string;
  readonly projectId?: string;
  readonly decrypt?: "true" | "false";
  /** The release has no name for it: what a caller adds who wants more than the first page. */
  readonly until?: string;
}

interface Sending {
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  readonly body?: unknown;
}

export interface NewSecret {
  readonly name: string;
  readonly value: string;
  readonly decryptable?: boolean;
  readonly projectId?: string;
}

export class Sdk2024 {
  readonly #serverUrl: string;
  readonly #bearerToken: string;

  constructor(serverUrl: string, bearerToken: string) {
    this.#serverUrl = serverUrl;
    this.#bearerToken = bearerToken;
  }

  async getSecrets(query: Omit<Query, "decrypt"> = {}): Promise<Body> {
    return await this.#call("getSecrets", { method: "GET", path: "/v3/secrets", query }, SecretList);
  }

  async getSecret(idOrName: string, query: Scope & Pick<Query, "decrypt"> = {}): Promise<Body> {
    return await this.#call(
      "getSecret",
      { method: "GET", path: `/v3/secrets/${encodeURIComponent(idOrName)}`, query },
      Secret,
    );
  }

  async createSecret(name: string, body: NewSecret, query: Scope = {}): Promise<Body> {
    const path = `/v2/secrets/${encodeURIComponent(name)}`;
    return await this.#call("createSecret", { method: "POST", path, query, body }, CreatedSecret);
  }

  async renameSecret(name: string, body: { readonly name: string }, query: Scope = {}): Promise<Body> {
    const path = `/v2/secrets/${encodeURIComponent(name)}`;
    return await this.#call("renameSecret", { method: "PATCH", path, query, body }, RenamedSecret);
  }

  async deleteSecret(idOrName: string, query: Scope = {}): Promise<Body> {
    const path = `/v2/secrets/${encodeURIComponent(idOrName)}`;
    return await this.#call("deleteSecret", { method: "DELETE", path, query }, DeletedSecret);
  }

  async #call(name: string, { method, path, query, body }: Sending, schema: TSchema): Promise<Body> {
    const url = new URL(path, this.#serverUrl);
    url.search = new URLSearchParams({ ...query }).toString();
    url.searchParams.sort();
    const response = await fetch(url, {
      method,
      headers: {
        Authorization: `Bearer ${this.#bearerToken}`,
        Accept: "application/json",
        // It sends this header always, and never has a cookie.
        Cookie: "",
        "User-Agent": `speakeasy-sdk/typescript ${RELEASE} 2.415.8 0.0.1 @simplesagar/vercel`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status >= 400) throw new SdkError("API error occurred", response.status, text);
    const contentType = response.headers.get("content-type") ?? "";
    if (response.status !== 200 || contentType.split(";")[0] !== "application/json") {
      throw new SdkError(`Unexpected API response status or content-type ${contentType}`, response.status, text);
    }
    const answer: unknown = JSON.parse(text);
    const [isValid, errors] = Compile(schema).Errors(answer);
    if (!isValid) throw new SdkError(`Response validation failed ${JSON.stringify(errors)}`, response.status, text);
    recordEvidence(`sdk ${RELEASE} secrets.${name}`);
    return pick(schema, answer);
  }
}
