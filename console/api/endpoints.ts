// Types of every call of the API by method and path, as the pages name them: those of the client.
import type { Input as InputOf, OperationId, Output as OutputOf } from "../../src/client/types.ts";
import type { OPERATIONS } from "../../src/client/operations.ts";

type Operations = typeof OPERATIONS;
type KeyOf<K extends OperationId> = `${Operations[K]["method"]} ${Operations[K]["path"]}`;

/** Method and path of an endpoint, as the contract has them: `GET /v2/teams/:teamId`. */
export type EndpointKey = { [K in OperationId]: KeyOf<K> }[OperationId];

export type IdOf<E extends EndpointKey> = { [K in OperationId]: KeyOf<K> extends E ? K : never }[OperationId];

export type Input<E extends EndpointKey> = InputOf<IdOf<E>>;

export type Output<E extends EndpointKey> = OutputOf<IdOf<E>>;
