// The interface between the HTTP layer and the store. serve/store-runner.ts implements it for each engine.
import type { Caller } from "../kernel/caller.ts";
import type { Awaitable } from "../kernel/tx.ts";
import type { WorkTiming } from "../store/database.ts";
import type { StoreVersions } from "../store/versions.ts";
import type { CredentialKind } from "../kernel/credential.ts";
import type { Outcome, OperationRequest } from "./execute.ts";

export interface PresentedCredential {
  readonly value: string;
  readonly kind: CredentialKind;
  readonly hash: string;
}

/** A subscription to new events in an owner's chain. */
export interface ChainWatch {
  /** Resolves when the chain has an event after the sequence `beyond`, after the timeout, or when `signal` aborts. */
  wait(beyond: number, timeoutMs: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

/** A failed health check, as `/health/ready` shows it without a credential. */
export interface FailedCheck {
  /** Name of the check. */
  readonly check: string;
  readonly code: string;
  readonly advice: string;
  /** The process cannot serve requests while the check fails. */
  readonly isFatal: boolean;
}

export type WorkKind = "read" | "write";

export interface OperationRunner {
  /** The versions of the store; null where it has none. */
  readonly versions: StoreVersions | null;
  /** Whether a read or write that arrives now, after waiting `waitedMs`, would be executed in good time. */
  hasCapacity(kind: WorkKind, waitedMs: number): boolean;
  findCaller(credential: PresentedCredential, now: number, ip: string): Awaitable<Caller | undefined>;
  read(request: OperationRequest, caller: Caller): Promise<Outcome>;
  /** Resolves when the change is on disk. `caller` was found before the body was received; `observe` gets the timing. */
  write(request: OperationRequest, caller: Caller, observe?: (timing: WorkTiming) => void): Promise<Outcome>;
  /** Records that a credential was used; written to the store in the background. */
  recordUse(caller: Caller, now: number): void;
  watchChain(ownerId: string): ChainWatch;
}
