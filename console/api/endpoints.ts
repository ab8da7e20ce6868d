// Types of every call of the API, from the contracts: a changed contract is a compile error in the pages that use it.
import type { Static, TSchema } from "typebox";
import type { CONTRACTS } from "../../src/contracts.ts";

type UnionToIntersection<U> = (U extends unknown ? (all: U) => void : never) extends (all: infer I) => void ? I : never;
type Contracts = UnionToIntersection<(typeof CONTRACTS)[number]>;
type Declared = Contracts[keyof Contracts];

type KeyOf<E> = E extends { method: infer M extends string; path: infer P extends string } ? `${M} ${P}` : never;

/** Method and path of an endpoint, as the contract has them: `GET /v2/teams/:teamId`. */
export type EndpointKey = KeyOf<Declared>;

type EndpointOf<K extends EndpointKey> = Declared extends infer E
  ? E extends unknown
    ? KeyOf<E> extends K
      ? E
      : never
    : never
  : never;

type Shape<S> = S extends TSchema ? Static<S> : never;
type Part<E, Name extends string> = E extends { [N in Name]: infer S } ? Shape<S> : never;

/** The path's parameters, of which every endpoint of a team takes the team's id or slug. */
type Params<E> = Part<E, "params"> extends never ? { params?: never } : { params: Part<E, "params"> };
/** `teamId` and `slug` choose the owner where the path names none. */
interface OwnerQuery {
  readonly teamId?: string;
  readonly slug?: string;
}
type Query<E> = { query?: ([Part<E, "query">] extends [never] ? unknown : Part<E, "query">) & OwnerQuery };
type Body<E> = [Part<E, "body">] extends [never]
  ? { body?: never }
  : E extends { isBodyOptional: true }
    ? { body?: Part<E, "body"> }
    : { body: Part<E, "body"> };

export type Input<K extends EndpointKey> = Params<EndpointOf<K>> &
  Query<EndpointOf<K>> &
  Body<EndpointOf<K>> & {
    /** The `ETag` that the change is based on: a change meanwhile is refused with 412. */
    readonly ifMatch?: string;
  };

export type Output<K extends EndpointKey> =
  EndpointOf<K> extends { status: 204 } ? null : Part<EndpointOf<K>, "response">;
