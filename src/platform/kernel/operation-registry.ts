// The whole product as the HTTP layer sees it: every endpoint with its handler, the directory, and the internal changes.
import type { Directory } from "./caller.ts";
import type { Contract, Endpoint, Implements, ImplementsStreams, ChunkHandler, Handler } from "./contract.ts";
import type { InternalChanges } from "./internal-changes.ts";
import type { Keyring } from "./keyring.ts";

/** An endpoint with its handler. */
export interface Operation {
  readonly id: string;
  readonly endpoint: Endpoint;
  /** Absent where the endpoint only streams. */
  readonly handler?: Handler<Endpoint>;
  /** Of an endpoint with `streams`. */
  readonly readChunk?: ChunkHandler<Endpoint>;
}

export interface OperationRegistry<C extends InternalChanges = InternalChanges> {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly directory: Directory;
  readonly changes: C;
  /** Those that change nothing on which a caller or a read of one owner (`readsOwnerOnly`) depends. */
  readonly bookkeeping: ReadonlySet<string>;
  readonly keyring: Keyring;
}

/** The chunk handlers of a contract with `streams`; nothing for other contracts. */
type Streams<C extends Contract> = keyof ImplementsStreams<C> extends never ? [] : [ImplementsStreams<C>];

/** Binds the handlers of a resource to its endpoints. A missing handler does not compile. */
export function bind<C extends Contract>(contract: C, service: Implements<C>, ...[streams]: Streams<C>): Operation[] {
  // Each handler has its endpoint's type; the HTTP layer passes only calls that were validated against that endpoint's schemas.
  const handlers = service as unknown as Readonly<Record<string, Handler<Endpoint>>>;
  const chunkHandlers = (streams ?? {}) as unknown as Readonly<Record<string, ChunkHandler<Endpoint>>>;
  return Object.entries(contract).map(([id, endpoint]) => ({
    id,
    endpoint,
    ...(handlers[id] && { handler: handlers[id] }),
    ...(chunkHandlers[id] && { readChunk: chunkHandlers[id] }),
  }));
}
