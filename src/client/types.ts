// The types of every call, from the contracts: a changed contract is a compile error where it is called. Only types are imported, so
// no program gets a schema. The package has the same types as text (tools/client-types.ts).
import type { Static, TSchema } from "typebox";
import type { CONTRACTS } from "../contracts.ts";
import type { OPERATIONS } from "./operations.ts";

type UnionToIntersection<U> = (U extends unknown ? (all: U) => void : never) extends (all: infer I) => void ? I : never;
type Contracts = UnionToIntersection<(typeof CONTRACTS)[number]>;

type Shape<S> = S extends TSchema ? Static<S> : never;
type Part<E, Name extends string> = E extends { [N in Name]: infer S } ? Shape<S> : never;

type Params<E> = [Part<E, "params">] extends [never] ? { params?: never } : { params: Part<E, "params"> };
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

/** The id of an operation, as openapi.json has it. */
export type OperationId = keyof Contracts;

/** What a call is given. */
export type Input<K extends OperationId> = Params<Contracts[K]> &
  Query<Contracts[K]> &
  Body<Contracts[K]> & {
    /** The `ETag` that the change is based on: a change meanwhile is refused with 412; null: none. */
    readonly ifMatch?: string | null;
  } & (Contracts[K] extends { beginsObject: true }
    ? {
        /** `*`: there is no such object yet; if there is one, the change is refused with 412. */
        readonly ifNoneMatch?: "*" | null;
      }
    : unknown);

/** What a call resolves to; null: the response has no body. */
export type Output<K extends OperationId> = Contracts[K] extends { status: 204 }
  ? null
  : Part<Contracts[K], "response">;

/** The operations that list, page by page. */
export type ListId = {
  [K in OperationId]: (typeof OPERATIONS)[K] extends { items: string } ? K : never;
}[OperationId];

/** One item of such a list. */
export type Item<K extends ListId> = (typeof OPERATIONS)[K] extends { items: infer M }
  ? Output<K> extends readonly (infer I)[]
    ? I
    : M extends keyof Output<K>
      ? Output<K>[M] extends readonly (infer I)[]
        ? I
        : never
      : never
  : never;
