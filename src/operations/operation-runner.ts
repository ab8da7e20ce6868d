// What the edge needs of the store side. server/store-runner.ts builds one per engine.
import type { Caller } from "../kernel/caller.ts";
import type { Awaitable } from "../kernel/tx.ts";
import type { WorkTiming } from "../store/database.ts";
import type { CredentialKind } from "../kernel/credential.ts";
import type { Outcome, OperationRequest } from "./execute.ts";

export interface PresentedCredential {
  readonly value: string;
  readonly kind: CredentialKind;
  readonly hash: string;
}

/** Somebody who waits for an owner's chain of events to go further. */
export interface ChainWatch {
  /** Resolves when the chain has gone beyond a sequence, when the time is over, or when `signal` says so. */
  wait(beyond: number, timeoutMs: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

/** Something that keeps requests from being served, or that somebody should know of. Anybody may read it. */
export interface FailedCheck {
  /** What was looked at. */
  readonly check: string;
  readonly code: string;
  readonly advice: string;
  /** Requests can't be served while it lasts. */
  readonly isFatal: boolean;
}

export type WorkKind = "read" | "write";

export interface OperationRunner {
  /**
   * A number that changes with every commit to the store, whoever makes it, and stays for what one turn of the event loop
   * reads; null where the store has none.
   */
  readonly readVersion: (() => number) | null;
  /** Whether a read or a change that comes now, and has waited for so long already, would be done in good time. */
  hasCapacity(kind: WorkKind, waitedMs: number): boolean;
  findCaller(credential: PresentedCredential, now: number, ip: string): Awaitable<Caller | undefined>;
  read(request: OperationRequest, caller: Caller): Promise<Outcome>;
  /** Resolves when the change is on disk. `observe` is told how long that took. */
  write(request: OperationRequest, observe?: (timing: WorkTiming) => void): Promise<Outcome>;
  /** Remembers that a credential was used; written in the background. */
  noteUse(caller: Caller, now: number): void;
  watchChain(ownerId: string): ChainWatch;
}
