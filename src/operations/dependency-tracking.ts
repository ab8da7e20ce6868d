// A call whose verb is watched: whether it asks for what two requests for the same do not share, such as the time, or for the
// keys to what lies sealed. A class, because making an object with accessors of its own takes as long as a statement runs.
import type { Caller, Scope } from "../kernel/caller.ts";
import type { Call, Instance } from "../kernel/contract.ts";

export class TrackedCall implements Call {
  readonly caller: Caller;
  readonly scope: Scope;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly instance: Instance;
  /** It has not asked for any of those. */
  isCacheable = true;
  readonly #passing: Pick<Call, "now" | "ifMatch" | "origin" | "keyring">;

  constructor(call: Call) {
    this.caller = call.caller;
    this.scope = call.scope;
    this.params = call.params;
    this.query = call.query;
    this.body = call.body;
    this.instance = call.instance;
    this.#passing = call;
  }

  get now() {
    return this.#pass().now;
  }

  get ifMatch() {
    return this.#pass().ifMatch;
  }

  get origin() {
    return this.#pass().origin;
  }

  get keyring() {
    return this.#pass().keyring;
  }

  #pass() {
    this.isCacheable = false;
    return this.#passing;
  }
}
