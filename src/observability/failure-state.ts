// What went wrong with changes, which those who only read do not see: readiness asks for it, and clears what is over.
import { ApiError } from "../kernel/errors.ts";
import type { StoreFailureReason } from "../store/database.ts";
import { storeFailureReason } from "../store/failure.ts";

export interface FailureState {
  /** The last time that the store itself failed to write; `at` is of `performance.now()`. */
  write?: { readonly at: number; readonly error: unknown } | undefined;
  /** Something could not be sealed or opened for want of its master key. */
  isKeyMissing: boolean;
}

/** What does not pass with the next attempt. */
const LASTING: ReadonlySet<StoreFailureReason | null> = new Set([
  "full",
  "read_only",
  "denied",
  "failing",
  "damaged",
  "writer_lost",
]);

/** Notes why a change failed, where that lasts. */
export function noteFailure(noted: FailureState, error: unknown): void {
  if (LASTING.has(storeFailureReason(error))) noted.write = { at: performance.now(), error };
  if (error instanceof ApiError && error.code === "master_key_missing") noted.isKeyMissing = true;
}
