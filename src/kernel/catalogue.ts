// The whole product as the edge sees it: every endpoint with its verb, the directory, and work without a request.
import type { Directory } from "./caller.ts";
import type { Contract, Endpoint, Implements, Verb } from "./contract.ts";
import type { Keyring } from "./keyring.ts";
import type { Tx } from "./tx.ts";

/** An endpoint with its verb. */
export interface Operation {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly verb: Verb<Endpoint>;
}

/** A mutation that no request asks for (bookkeeping, pruning); runs in a transaction of its own. */
export type Task = (tx: Tx, input: never, now: number) => Promise<unknown>;

export interface Catalogue {
  readonly operations: ReadonlyMap<string, Operation>;
  readonly directory: Directory;
  readonly tasks: Readonly<Record<string, Task>>;
  readonly keyring: Keyring;
}

/** Binds a slice's verbs to its declarations; a missing verb does not compile. */
export function bind<C extends Contract>(contract: C, service: Implements<C>): Operation[] {
  return Object.entries(contract).map(([id, endpoint]) => ({
    id,
    endpoint,
    // The verb fits its own endpoint; the edge hands it only calls that passed that endpoint's schemas.
    verb: service[id as keyof C] as unknown as Verb<Endpoint>,
  }));
}
