// An endpoint as data. The server, the documentation, the command line and the tests walk the same declarations.
import type { StorageLimits } from "./storage-limits.ts";
import type { Static, TObject, TObjectOptions, TSchema, TSchemaOptions } from "typebox";
import { Type } from "typebox";
import type { Caller, Origin, Scope } from "./caller.ts";
import type { EgressRules } from "./network/egress.ts";
import type { ApiError, ErrorCode } from "./errors.ts";
import type { Giving } from "./gifts.ts";
import type { Keyring } from "./keyring.ts";
import type { LimitPlaces } from "./limits.ts";
import type { Page, PageLinks } from "./pagination.ts";
import type { Permission } from "./roles.ts";
import type { Chunk, ChunkRequest, StreamForm } from "./stream.ts";
import type { Awaitable, Tx } from "./tx.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Who may call an endpoint, and the owner whose data the call is about:
 * - `user`: a user's credential; the owner is that user's account, or a team named in the query. A mutation needs a
 *   credential that is not limited to a team (unless `allowLimited`) and, for an API key, the full role. `tokensOnly`
 *   refuses API keys with that message, and `sessionsOnly` every credential but the session of a browser. A credential with limits
 *   (platform/kernel/limits.ts) is refused, unless it is an access token and the endpoint has `allowNarrow`: the handler then shows it no more
 *   than who it is. A read that is `wholeOnly` is refused to a credential that is limited to a team, as a mutation is;
 * - `owner`: any credential; the owner is the team named in the query, else the credential's team, else the caller's account.
 *   With `afterDeletion` it can also be a deleted team, for the users who were its last OWNERs. With `orInstance`,
 *   administrators can name the whole instance by `instance=true` in the query;
 * - `team`: any credential; the owner is the team in the path, which the caller must be able to see;
 * - `known-team`: a user's credential; the owner is the team in the path, and the caller need not be a member of it. With
 *   `others`, callers with that permission in the team, API keys included, can also name another user;
 * - `key`: an API key, whatever limits it, about itself; the owner is what it belongs to. `keysOnly` refuses other credentials with
 *   that message;
 * - `instance`: an instance administrator with an access token; the owner is the instance.
 */
export type Access =
  | {
      readonly kind: "user";
      readonly allowLimited?: true;
      readonly allowNarrow?: true;
      readonly wholeOnly?: true;
      readonly tokensOnly?: string;
      readonly sessionsOnly?: string;
    }
  | {
      readonly kind: "owner";
      readonly permission: Permission;
      /** A permission that it needs in addition, because the response shows, or leads to, what that is for. */
      readonly alsoNeeds?: Permission;
      readonly afterDeletion?: true;
      readonly orInstance?: true;
    }
  | {
      readonly kind: "team";
      readonly permission: Permission;
      readonly allowLimited?: true;
      /** Users who are invited or have asked to join may call as well. The handler checks that they are. */
      readonly allowPending?: true;
    }
  | { readonly kind: "known-team"; readonly others?: Permission }
  | { readonly kind: "key"; readonly keysOnly: string }
  | { readonly kind: "instance" };

/** A request that Reeve sends later to a URL in the body of a call. For documentation only. */
export interface Callback {
  readonly name: string;
  /** The member of the body that holds the URL. */
  readonly to: string;
  readonly summary: string;
  readonly description: string;
  /** The description of each header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: TSchema;
}

/** What the documentation shows people who write a call. Tests hold it against the schemas; values of the path have examples of their own. */
export interface CallExample {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
}

export type Endpoint = EndpointFields & Giving;

interface EndpointFields {
  /** The specification's path; parameters as `:name`. */
  readonly path: string;
  /** Further paths of the same endpoint that existing clients call. */
  readonly aliases?: readonly string[];
  /** Whether an empty `teamId` is an absent one: some existing clients send it. By default where there are aliases for them. */
  readonly acceptsEmptyTeam?: boolean;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Where the limits of a credential apply. A credential that is limited in what is not declared is refused. */
  readonly limits?: LimitPlaces;
  readonly params?: TObject;
  /** The HTTP layer adds `teamId` and `slug` to every endpoint's query. */
  readonly query?: TObject;
  readonly body?: TSchema;
  /** The body is optional; without one the handler gets undefined. */
  readonly isBodyOptional?: true;
  /** The handler validates the body itself, so that it can report all errors at once. The schema is for documentation. */
  readonly isBodyChecked?: true;
  /** The maximum number of JSON values in a body, where it is higher than the default. */
  readonly maxBodyValues?: number;
  /** Of a GET: the boolean query member that makes it record an event. The call then runs as a mutation. */
  readonly recordsWhen?: string;
  /** Of a GET: each call that returns something which the client does not have yet records an event. All run as mutations. */
  readonly recordsAlways?: true;
  /** The permission that a recorded call needs in addition. */
  readonly recordingNeeds?: Permission;
  /** Of a POST with a body that is too long for a query: it changes nothing, runs as a GET does, and ignores an Idempotency-Key. */
  readonly readsOnly?: true;
  /** Of a mutation: it ends or denies something, so that it is accepted while little disk space is left; a schema: with bodies that match it. */
  readonly protects?: true | TSchema;
  /** Of a read: besides callers, the response depends on rows of the scope's owner alone, and stays cached while only others change. */
  readonly readsOwnerOnly?: true;
  /** Of a mutation or a recorded read: it changes rows of the scope's owner alone, and none on which a caller depends. */
  readonly changesOwnerOnly?: true;
  /** Of a short mutation that refuses before it changes anything, and locks its owner and names alone (decisions/0040). */
  readonly sharesTransaction?: true;
  /** Every endpoint with a required body has one. */
  readonly example?: CallExample;
  readonly status?: 200 | 201 | 202 | 204;
  /** What a successful response is, if not what the summary says (a read) or the object afterwards (a change). */
  readonly returns?: string;
  readonly response: TSchema;
  /** Of a POST: secrets of the response that the caller may no longer see later, when a repeated request gets the stored response. */
  readonly notReplayed?: readonly string[];
  /** Of a GET: its `ETag` is that of the response's bytes, and a request that names it in `If-None-Match` gets 304. */
  readonly isConditional?: true;
  /** Of a change: it begins the object if there is none. With `If-None-Match: *` it does only that; see `requireAbsent`. */
  readonly beginsObject?: true;
  /** Of a GET: streamed responses by media type, which the client chooses by `Accept`. */
  readonly streams?: Readonly<Record<string, StreamForm>>;
  /** Of a GET that can also return plain text: what it holds, and how it is asked for. */
  readonly textForm?: string;
  /** The response is one of `streams`: the endpoint has no other form. If it `isLive`, it ends with the connection. */
  readonly streamsOnly?: true;
  readonly isLive?: true;
  /** Of a live endpoint: gates listen, of which a team may have many. */
  readonly isForGates?: true;
  /** Error codes that this endpoint returns beyond those of the HTTP layer (`HTTP_ERRORS`). */
  readonly errors: readonly ErrorCode[];
  /** Types of the events that a successful call may emit. */
  readonly emits: readonly string[];
  readonly callback?: Callback;
}

export type Contract = Readonly<Record<string, Endpoint>>;

export function defineContract<const C extends Contract>(contract: C): C {
  return contract;
}

type Shape<S> = S extends TSchema ? Static<S> : unknown;
type OptionalBody<E extends Endpoint> = E extends { isBodyOptional: true } ? undefined : never;

/** The settings that handlers may read. */
export interface Instance {
  /** Base of links for people, without a slash at the end; null: nobody has said where they open this server. */
  readonly ownUrl: string | null;
  /** This instance sends mail: messages are queued, and codes that are sent by mail are left out of responses. */
  readonly hasMail: boolean;
  /** Mails a day that one user and one team may cause; 0: no limit. */
  readonly mailLimits: { readonly user: number; readonly team: number };
  /** People may sign in with passwords. */
  readonly hasPasswords: boolean;
  /** The OpenID Connect providers that people may sign in with. */
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** The maximum cost of a firewall configuration per request. docs/firewall.md */
  readonly firewallCostLimit: number;
  /** Access tokens that a user may have at the same time. */
  readonly maxTokens: number;
  /** What an account or team may store. */
  readonly storageLimits: StorageLimits;
  /** Where webhooks may send. */
  readonly egress: EgressRules;
}

/** Everything a handler may read of a request. Never copy or spread it: dependency tracking watches which members are read. */
export interface Call<E extends Endpoint = Endpoint> {
  readonly caller: Caller;
  readonly scope: Scope;
  readonly params: Shape<E["params"]>;
  readonly query: Shape<E["query"]>;
  readonly body: Shape<E["body"]> | OptionalBody<E>;
  readonly now: number;
  /** The request's `If-Match`; see `requireRevision`. */
  readonly ifMatch: string | null;
  /** The request's `If-None-Match`. A recorded read records nothing when the client has the response already; see also `requireAbsent`. */
  readonly ifNoneMatch: string | null;
  readonly origin: Origin;
  readonly instance: Instance;
  readonly keyring: Keyring;
}

/** Members of a result that set headers and are never part of the body. */
export interface ResultExtras {
  /** Revision of the returned object, for `ETag`. */
  readonly revision?: number;
  /** A digest of the response, for the `ETag` of an endpoint that `isConditional`. */
  readonly contentTag?: string;
  /** The returned page, for `Link`. */
  readonly page?: Page;
  /** The links of a list with other cursors, for `Link`. */
  readonly links?: PageLinks;
}

/** A result that is stored as JSON in the form of the endpoint's response, and is sent without being parsed. */
export interface RenderedResult extends ResultExtras {
  /** As text, or as bytes in UTF-8. */
  readonly rendered: string | Uint8Array;
  /** The form of an endpoint with a `textForm`; JSON by default. */
  readonly mediaType?: "text/plain";
}

/** Returned by a handler that only reads, for work that must not run in a transaction: the effect of the endpoint's id, which sends or computes. */
export interface DeferredWork {
  /** The input of the effect. */
  readonly effect: unknown;
}

export type Result<E extends Endpoint> = E["status"] extends 204
  ? null
  : (Static<E["response"]> & ResultExtras) | RenderedResult | DeferredWork;

export function isDeferredWork(result: unknown): result is DeferredWork {
  return (result as DeferredWork | null)?.effect !== undefined;
}

export function isRendered(result: unknown): result is RenderedResult {
  const rendered = (result as RenderedResult | null)?.rendered;
  return typeof rendered === "string" || rendered instanceof Uint8Array;
}

/** A handler that throws rolls back its changes. One that returns an ApiError refuses the call and commits what it recorded. */
export type Handler<E extends Endpoint> = (tx: Tx, call: Call<E>) => Awaitable<Result<E> | ApiError>;

/** A service: one handler per endpoint of the contract, under the same key. Endpoints that only stream have none. */
export type Implements<C extends Contract> = {
  readonly [K in keyof C as C[K] extends { readonly streamsOnly: true } ? never : K]: Handler<C[K]>;
};

/** Reads one chunk of a streamed response. The chunk after it is another call of the same caller, with the `next` of this one. */
export type ChunkHandler<E extends Endpoint> = (
  tx: Tx,
  call: Call<E> & { readonly chunk: ChunkRequest },
) => Awaitable<Chunk>;

type StreamedKeys<C extends Contract> = {
  [K in keyof C]: C[K] extends { readonly streams: object } ? K : never;
}[keyof C];

/** One chunk handler per endpoint of the contract that has `streams`, under the same key. */
export type ImplementsStreams<C extends Contract> = { readonly [K in StreamedKeys<C>]: ChunkHandler<C[K]> };

export function isMutation({ method, readsOnly }: Endpoint): boolean {
  return method !== "GET" && !readsOnly;
}

/** Whether the endpoint accepts a body. The body of a GET is ignored. */
export function takesBody({ method }: Endpoint): boolean {
  return method !== "GET";
}

/** Whether a call runs in a write transaction: a mutation, or a read that is recorded. */
export function isWrite(endpoint: Endpoint, query: unknown): boolean {
  const { recordsWhen, recordsAlways } = endpoint;
  if (isMutation(endpoint) || recordsAlways) return true;
  return recordsWhen !== undefined && (query as Readonly<Record<string, unknown>>)[recordsWhen] === true;
}

/** Whether a call names the whole instance as its owner, at an endpoint that allows it. */
export function namesInstance({ access }: Endpoint, query: unknown): boolean {
  return access.kind === "owner" && access.orInstance === true && (query as { instance?: boolean }).instance === true;
}

/** A nullable scalar in the form that the compiled serializer handles fastest. */
export function Nullable<S extends TSchema>(schema: S) {
  const { type = "object", enum: values } = schema as { type?: string; enum?: readonly unknown[] };
  // An enum does not allow null unless it lists null.
  const list = values === undefined ? {} : { enum: [...values, null] };
  return Type.Unsafe<Static<S> | null>({ ...schema, ...list, type: [type, "null"] });
}

/** An object with any keys. Its JSON schema uses `additionalProperties`, where `Type.Record` writes a pattern. */
export function RecordOf<const S extends TSchema>(values: S, options: TObjectOptions = {}) {
  return Type.Unsafe<Record<string, Static<S>>>({ type: "object", additionalProperties: values, ...options });
}

/** A string that matches a pattern. `expected` is the pattern in words, for error messages and the reference. */
export function Pattern(pattern: string, expected: string, options: { description?: string; maxLength?: number } = {}) {
  return Type.String({ ...options, pattern, "x-expected": expected });
}

/** One string of a closed list. */
export function OneOf<const V extends readonly string[]>(values: V, options: TSchemaOptions = {}) {
  return Type.Unsafe<V[number]>({ type: "string", enum: [...values], ...options });
}
