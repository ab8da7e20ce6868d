// `@reeve-hq/reeve/client`: every operation of the API, typed from the contracts. It depends on nothing, and runs wherever there is `fetch`.
import { authorizationOf, baseOf, checkMembers, itemsOf, methodOf, operationOf, pathOf } from "./arguments.ts";
import { refuse, requireObject } from "./arguments.ts";
import type { Operation } from "./arguments.ts";
import { jsonOf } from "./body.ts";
import { ReeveError, errorOf } from "./error.ts";
import { nextQuery } from "./links.ts";
import { readLines } from "./lines.ts";
import type { Event } from "./named-types.ts";
import { addQuery, fillPath, queryOf } from "./parameters.ts";
import { CALL_OPTIONS, INPUT, LINE_OPTIONS, RAW_REQUEST, SETTINGS, TAIL_OPTIONS } from "./rules.ts";
import type { LooseInput } from "./rules.ts";
import type { ClientSettings, LineOptions, Query, RawRequest, TailOptions } from "./settings.ts";
import { tail } from "./tail.ts";
import { send } from "./transport.ts";
import type { CallOptions } from "./transport.ts";
import type { Input, Item, ListId, OperationId, Output } from "./types.ts";

/** A result with what its headers say. */
export interface Answer<T> {
  readonly value: T;
  /** For `ifMatch`; null: the object has none. */
  readonly etag: string | null;
  readonly requestId: string;
  readonly response: Response;
}

/** Nothing is asked of the caller of an operation without required members. */
type Arguments<K extends OperationId, O> =
  object extends Input<K> ? [input?: Input<K>, options?: O] : [input: Input<K>, options?: O];

export interface Client {
  /** Calls an operation and resolves to its result. Throws a `ReeveError`. */
  call<K extends OperationId>(operation: K, ...args: Arguments<K, CallOptions>): Promise<Output<K>>;
  /** The same, with the `ETag` and the response itself. */
  answer<K extends OperationId>(operation: K, ...args: Arguments<K, CallOptions>): Promise<Answer<Output<K>>>;
  /** Every item of a list; the next page is read when it is needed. */
  items<K extends ListId>(operation: K, ...args: Arguments<K, CallOptions>): AsyncGenerator<Item<K>, void>;
  /** Every page of a list. */
  pages<K extends ListId>(operation: K, ...args: Arguments<K, CallOptions>): AsyncGenerator<Output<K>, void>;
  /** The lines of an export or a live stream, or the rows of CSV, while it is sent. To stop reading ends it. */
  lines<K extends OperationId>(operation: K, input: Input<K>, options: LineOptions): AsyncGenerator<string, void>;
  /**
   * Events as they happen, until the loop ends or `signal` does. A connection that breaks is opened again, and no event in between is missed.
   * `query.after` is the sequence to begin after; 0: the oldest event.
   */
  tail(input?: Input<"streamEvents">, options?: TailOptions): AsyncGenerator<Event, void>;
  /** Sends any request, and resolves to its response whatever the status is. */
  request(method: string, path: string, request?: RawRequest): Promise<Response>;
}

const SILENCE_MS = 45_000;
const REPEATABLE = ["GET", "HEAD", "PUT", "DELETE", "POST"];

function conditionsOf({ ifMatch, ifNoneMatch }: LooseInput): Readonly<Record<string, string>> {
  return {
    ...(typeof ifMatch === "string" ? { "if-match": ifMatch } : {}),
    ...(typeof ifNoneMatch === "string" ? { "if-none-match": ifNoneMatch } : {}),
  };
}

/** The member of a query that chooses a team by its id or slug. */
export function teamQuery(team: string): { readonly teamId: string } | { readonly slug: string } {
  return team.startsWith("team_") ? { teamId: team } : { slug: team };
}

/** A client of the server. Throws a `TypeError` for settings that no client can have, as calls do for arguments. */
export function createClient(settings: ClientSettings): Client {
  requireObject("settings", settings ?? null, "an object with `server`, the URL of the server");
  checkMembers("settings", settings, SETTINGS);
  const { token, team, userAgent, fetch = (url, init) => globalThis.fetch(url, init) } = settings;
  const base = baseOf(settings.server);

  async function request(givenMethod: string, path: string, raw: RawRequest = {}): Promise<Response> {
    const method = methodOf(givenMethod);
    const url = new URL(base + pathOf(path));
    checkMembers("request", raw, RAW_REQUEST);
    const { query, body, form, idempotencyKey, signal, isStream = false } = raw;
    addQuery(url, query);
    if (form !== undefined && body !== undefined) refuse("form", "no body beside it");
    const sent = form === undefined ? jsonOf(body) : queryOf(form, "form");
    if (sent !== undefined && (method === "GET" || method === "HEAD")) {
      refuse(form === undefined ? "body" : "form", `none with ${method}`);
    }
    const headers = new Headers(raw.headers);
    const addHeader = (name: string, value: string) => headers.has(name) || headers.set(name, value);
    addHeader("accept", "application/json");
    if (userAgent !== undefined) addHeader("user-agent", userAgent);
    if (body !== undefined) addHeader("content-type", "application/json");
    // A form is of OAuth, where each request is its own.
    if (method === "POST" && form === undefined) addHeader("idempotency-key", idempotencyKey ?? createKey());
    if (token !== undefined) {
      if (headers.has("authorization")) refuse("headers.authorization", "none beside the client's `token`");
      headers.set("authorization", authorizationOf(typeof token === "function" ? await token() : token));
    }
    return await send(fetch, {
      timeoutMs: raw.timeoutMs ?? settings.timeoutMs ?? 30_000,
      retries: raw.retries ?? settings.retries ?? 3,
      signal,
      method,
      url,
      headers,
      body: sent,
      isRepeatable: (raw.isRepeatable ?? REPEATABLE.includes(method)) && form === undefined,
      isStream,
      onAttempt: settings.onAttempt,
    });
  }

  async function exchange(
    id: OperationId,
    input: LooseInput = {},
    raw: RawRequest = {},
  ): Promise<{ readonly response: Response; readonly operation: Operation }> {
    const operation = operationOf(id);
    checkMembers("input", input, INPUT);
    const { params, query = {}, body } = input;
    const sent = queryOf(query);
    const isElsewhere = !operation.isOwned || team === undefined || sent.has("teamId") || sent.has("slug");
    const response = await request(operation.method, fillPath(operation.path, params), {
      query: isElsewhere ? query : { ...query, ...teamQuery(team) },
      body,
      ...raw,
      headers: { ...raw.headers, ...conditionsOf(input) },
    });
    if (!response.ok) throw await errorOf(response);
    return { response, operation };
  }

  async function answer(id: OperationId, input?: LooseInput, options?: CallOptions): Promise<Answer<unknown>> {
    checkMembers("options", options, CALL_OPTIONS);
    const { response } = await exchange(id, input, options);
    const { status, headers } = response;
    const requestId = headers.get("x-request-id") ?? "";
    const value: unknown =
      status === 204
        ? null
        : await response.json().catch(() => {
            const problem = `The server responds with ${status} and no JSON`;
            throw new ReeveError(problem, { status, code: "not_json", requestId });
          });
    return { value, etag: headers.get("etag"), requestId, response };
  }

  async function* pages(id: OperationId, input: LooseInput = {}, options?: CallOptions): AsyncGenerator<unknown, void> {
    itemsOf(id);
    checkMembers("input", input, INPUT);
    const { query: first = {} } = input;
    let query: Query | null = first;
    const seen = new Set([String(queryOf(query))]);
    while (query !== null) {
      const { value, response } = await answer(id, { ...input, query }, options);
      yield value;
      query = nextQuery(response.headers.get("link"), query);
      const next = String(queryOf(query ?? {}));
      if (query !== null && seen.has(next)) {
        const { status, headers } = response;
        const requestId = headers.get("x-request-id") ?? "";
        throw new ReeveError("The list leads back to an earlier page", { status, code: "endless_list", requestId });
      }
      seen.add(next);
    }
  }

  const client = {
    request,
    answer,
    pages,
    call: async (id: OperationId, input?: LooseInput, options?: CallOptions) =>
      (await answer(id, input, options)).value,
    async *items(id: OperationId, input?: LooseInput, options?: CallOptions) {
      const items = itemsOf(id);
      for await (const page of pages(id, input, options)) {
        yield* (items === "" ? page : (page as Readonly<Record<string, unknown>>)[items]) as readonly unknown[];
      }
    },
    async *lines(id: OperationId, input: LooseInput, lineOptions: LineOptions) {
      requireObject("options", lineOptions ?? null, "an object with `accept`, a media type");
      checkMembers("options", lineOptions, LINE_OPTIONS);
      const { accept, onOpen, silenceMs = SILENCE_MS, ...options } = lineOptions;
      const { response } = await exchange(id, input, { ...options, headers: { accept }, isStream: true });
      onOpen?.();
      const isLive = accept === "text/event-stream";
      const isCsv = accept === "text/csv";
      yield* readLines(response, { signal: options.signal, silenceMs: isLive ? silenceMs : undefined, isCsv });
    },
    async *tail(input: LooseInput = {}, tailOptions: TailOptions = {}) {
      checkMembers("options", tailOptions, TAIL_OPTIONS);
      const { onBreak, ...options } = tailOptions;
      yield* tail(input.query?.["after"], {
        signal: options.signal,
        onBreak,
        connect: (after) =>
          client.lines(
            "streamEvents",
            { ...input, query: { ...input.query, after } },
            { ...options, accept: "text/event-stream" },
          ),
      });
    },
  };
  // The contracts give each operation its own types; the code is one for all.
  return client as unknown as Client;
}

/** `randomUUID` is missing on pages of plain http. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
