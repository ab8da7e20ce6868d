// An endpoint as data. The server, the documentation, the command line and the tests walk the same declarations.
import type { Static, TObject, TObjectOptions, TSchema } from "typebox";
import { Type } from "typebox";
import type { Caller, Origin, Scope } from "./caller.ts";
import type { EgressRules } from "./network/egress.ts";
import type { ApiError, ErrorCode } from "./errors.ts";
import type { Keyring } from "./keyring.ts";
import type { Page, PageLinks } from "./pagination.ts";
import type { Permission } from "./roles.ts";
import type { Chunk, ChunkRequest, StreamForm } from "./stream.ts";
import type { Awaitable, Tx } from "./tx.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Who may call, and whose things the call is about:
 * - `user`: a credential that stands for a user; about that user's account (a team may be named in the query). To
 *   change something, the credential must not be limited to a team (unless `allowLimited`) and, when it is an API key,
 *   must have the full role; `tokensOnly` refuses API keys altogether, with that message;
 * - `owner`: any credential; about the team named in the query, else the credential's team, else the caller's account.
 *   `afterDeletion`: also about a deleted team, for those who were its last OWNERs. `orInstance`: with `instance=true` in
 *   the query about the whole instance, for administrators;
 * - `team`: any credential; about the team in the path, which the caller must be able to see;
 * - `known-team`: a user in person; about the team in the path, of which the caller need not be a member. With `others`
 *   also about somebody else, for whoever has that permission in the team, keys included;
 * - `instance`: an instance administrator with an access token; about the instance.
 */
export type Access =
  | { readonly kind: "user"; readonly allowLimited?: true; readonly tokensOnly?: string }
  | {
      readonly kind: "owner";
      readonly permission: Permission;
      readonly afterDeletion?: true;
      readonly orInstance?: true;
    }
  | {
      readonly kind: "team";
      readonly permission: Permission;
      readonly allowLimited?: true;
      /** Answered for who is invited or has asked to join, too: the verb finds out who is. */
      readonly allowPending?: true;
    }
  | { readonly kind: "known-team"; readonly others?: Permission }
  | { readonly kind: "instance" };

/** A request that a call asks for, to be made later to a URL that its body names. For documentation. */
export interface Callback {
  readonly name: string;
  /** The member of the body that holds the URL. */
  readonly to: string;
  readonly summary: string;
  readonly description: string;
  /** What each header says. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: TSchema;
}

export interface Endpoint {
  readonly method: Method;
  /** The specification's path; parameters as `:name`. */
  readonly path: string;
  /** Further paths of the same endpoint that today's clients call. */
  readonly aliases?: readonly string[];
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params?: TObject;
  /** `teamId` and `slug` are added to every endpoint's query by the edge. */
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The body may be left out; the verb then sees undefined. */
  readonly isBodyOptional?: true;
  /** The verb checks the body itself, to name every fault at once; the schema tells what it takes. */
  readonly isBodyChecked?: true;
  /** How many values the JSON of a body may have, where that is more than for others. */
  readonly maxBodyValues?: number;
  /** Of a GET: the boolean member of the query with which it records an event, and so runs as a change does. */
  readonly recordsWhen?: string;
  /** What that needs besides. */
  readonly recordingNeeds?: Permission;
  /**
   * Of a POST: it changes nothing and takes a body only because a query would be too long. It runs as a GET does, beside
   * the writer; an Idempotency-Key says nothing to it, since it may be sent again as it is.
   */
  readonly readsOnly?: true;
  readonly status?: 200 | 202 | 204;
  readonly response: TSchema;
  /** Of a GET: further forms of the answer, by media type, for those who ask for one by `Accept`; sent in parts. */
  readonly streams?: Readonly<Record<string, StreamForm>>;
  /** There is no other form than its one stream, which goes on for as long as the client listens. */
  readonly isLive?: true;
  /** Codes that this endpoint gives beyond those of the edge (`HTTP_ERRORS`). */
  readonly errors: readonly ErrorCode[];
  /** Types of the events that a successful call may write. */
  readonly emits: readonly string[];
  readonly callback?: Callback;
}

export type Contract = Readonly<Record<string, Endpoint>>;

export function defineContract<const C extends Contract>(contract: C): C {
  return contract;
}

type Shape<S> = S extends TSchema ? Static<S> : unknown;
type OptionalBody<E extends Endpoint> = E extends { isBodyOptional: true } ? undefined : never;

/** What a verb may know of the settings. */
export interface Instance {
  /** This instance sends mail: messages are queued, and codes that travel by mail are left out of answers. */
  readonly hasMail: boolean;
  /** Mails a day that one user, and one team, may cause; 0: no limit. */
  readonly mailLimits: { readonly user: number; readonly team: number };
  /** What a firewall configuration may cost each request. docs/firewall.md */
  readonly firewallCostLimit: number;
  /** Access tokens that a user may have at a time. */
  readonly maxTokens: number;
  /** Where webhooks may send. */
  readonly egress: EgressRules;
}

/** Everything a verb may know of a request. Not to be copied: what is asked of it may be watched. */
export interface Call<E extends Endpoint = Endpoint> {
  readonly caller: Caller;
  readonly scope: Scope;
  readonly params: Shape<E["params"]>;
  readonly query: Shape<E["query"]>;
  readonly body: Shape<E["body"]> | OptionalBody<E>;
  readonly now: number;
  /** The request's `If-Match`; see `requireRevision`. */
  readonly ifMatch: string | null;
  readonly origin: Origin;
  readonly instance: Instance;
  readonly keyring: Keyring;
}

/** Members of a result that steer headers and are never part of the body. */
export interface ResultExtras {
  /** Revision of the one object answered, for `ETag`. */
  readonly revision?: number;
  /** The page answered, for `Link`. */
  readonly page?: Page;
  /** Where a list continues that pages by other means, for `Link`. */
  readonly links?: PageLinks;
}

/** A result that was rendered when it was stored: JSON that fits the endpoint's response, sent as it is. */
export interface RenderedResult extends ResultExtras {
  /** As text, or in UTF-8. */
  readonly rendered: string | Uint8Array;
}

/**
 * What a verb that only reads found out for something that no transaction may do (law 2), such as sending, or that takes long: the server
 * does that with its completion of the endpoint's id, which makes the result.
 */
export interface PostCommitEffect {
  readonly effect: unknown;
}

export type Result<E extends Endpoint> = E["status"] extends 204
  ? null
  : (Static<E["response"]> & ResultExtras) | RenderedResult | PostCommitEffect;

export function isPostCommitEffect(result: unknown): result is PostCommitEffect {
  return (result as PostCommitEffect | null)?.effect !== undefined;
}

export function isRendered(result: unknown): result is RenderedResult {
  const rendered = (result as RenderedResult | null)?.rendered;
  return typeof rendered === "string" || rendered instanceof Uint8Array;
}

/** A verb that throws undoes what it did; one that returns an ApiError refuses the call and keeps what it recorded. */
export type Handler<E extends Endpoint> = (tx: Tx, call: Call<E>) => Awaitable<Result<E> | ApiError>;

/** A service: one verb per endpoint of the contract, under the same key; none for what is live. */
export type Implements<C extends Contract> = {
  readonly [K in keyof C as C[K] extends { readonly isLive: true } ? never : K]: Handler<C[K]>;
};

/** Answers one part of a streamed answer; asked again with the `next` that it gave, as another call of the same caller. */
export type ChunkHandler<E extends Endpoint> = (
  tx: Tx,
  call: Call<E> & { readonly chunk: ChunkRequest },
) => Awaitable<Chunk>;

type StreamedKeys<C extends Contract> = {
  [K in keyof C]: C[K] extends { readonly streams: object } ? K : never;
}[keyof C];

/** One part verb per endpoint of the contract that has `streams`, under the same key. */
export type ImplementsStreams<C extends Contract> = { readonly [K in StreamedKeys<C>]: ChunkHandler<C[K]> };

/** Codes that the edge can give for any endpoint. */
export const HTTP_ERRORS = [
  "bad_request",
  "invalid_json",
  "invalid_query",
  "invalid_path",
  "scope_conflict",
  "not_authorized",
  "forbidden",
  "not_found",
  "not_acceptable",
  "idempotency_key_in_use",
  "idempotency_key_reused",
  "body_too_large",
  "unsupported_media_type",
  "too_many_requests",
  "request_timeout",
  "headers_too_large",
  "expectation_failed",
  "internal_server_error",
  "storage_full",
  "overloaded",
  "store_unavailable",
  "store_busy",
  "outcome_unknown",
  "shutting_down",
] as const satisfies readonly ErrorCode[];

export function isMutation({ method, readsOnly }: Endpoint): boolean {
  return method !== "GET" && !readsOnly;
}

/** Whether a body belongs to the method; a GET that has one is read as if it had none. */
export function takesBody({ method }: Endpoint): boolean {
  return method !== "GET";
}

/** Whether a call runs in a writing transaction: a change, or a read that is recorded. */
export function isWrite(endpoint: Endpoint, query: unknown): boolean {
  const { recordsWhen } = endpoint;
  if (isMutation(endpoint)) return true;
  return recordsWhen !== undefined && (query as Readonly<Record<string, unknown>>)[recordsWhen] === true;
}

/** Whether a call is about the whole instance, at an endpoint that may be. */
export function namesInstance({ access }: Endpoint, query: unknown): boolean {
  return access.kind === "owner" && access.orInstance === true && (query as { instance?: boolean }).instance === true;
}

/** A nullable scalar in the form that the compiled serialiser handles fastest. */
export function Nullable<S extends TSchema>(schema: S) {
  const { type = "object", enum: values } = schema as { type?: string; enum?: readonly unknown[] };
  // A closed list is closed to null as well, unless it says so.
  const list = values === undefined ? {} : { enum: [...values, null] };
  return Type.Unsafe<Static<S> | null>({ ...schema, ...list, type: [type, "null"] });
}

/** An object of any keys: unlike `Type.Record`, the JSON schema says so with `additionalProperties`, without a pattern. */
export function RecordOf<const S extends TSchema>(values: S, options: TObjectOptions = {}) {
  return Type.Unsafe<Record<string, Static<S>>>({ type: "object", additionalProperties: values, ...options });
}

/** A string of a form: the pattern for programs, and the form in words, which refusals and the reference say. */
export function Pattern(pattern: string, expected: string, options: { description?: string; maxLength?: number } = {}) {
  return Type.String({ ...options, pattern, "x-expected": expected });
}

/** A string out of a closed list. */
export function OneOf<const V extends readonly string[]>(values: V, options: { description?: string } = {}) {
  return Type.Unsafe<V[number]>({ type: "string", enum: [...values], ...options });
}
