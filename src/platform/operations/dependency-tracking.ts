// Dependency tracking: a call that records whether its handler reads members that differ between equal requests, such as the time,
// or the keyring. Such a response is not cacheable. A class, because creating an object with accessors takes as long as a statement.
import type { Caller, Scope } from "../kernel/caller.ts";
import type { Call, Instance } from "../kernel/contract.ts";

export class TrackedCall implements Call {
  readonly caller: Caller;
  readonly scope: Scope;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly instance: Instance;
  /** The handler has read none of those members. */
  isCacheable = true;
  readonly #uncacheable: Pick<Call, "now" | "ifMatch" | "ifNoneMatch" | "origin" | "keyring">;

  constructor(call: Call) {
    this.caller = call.caller;
    this.scope = call.scope;
    this.params = call.params;
    this.query = call.query;
    this.body = call.body;
    this.instance = call.instance;
    this.#uncacheable = call;
  }

  get now() {
    return this.#track().now;
  }

  get ifMatch() {
    return this.#track().ifMatch;
  }

  get ifNoneMatch() {
    return this.#track().ifNoneMatch;
  }

  get origin() {
    return this.#track().origin;
  }

  get keyring() {
    return this.#track().keyring;
  }

  #track() {
    this.isCacheable = false;
    return this.#uncacheable;
  }
}
