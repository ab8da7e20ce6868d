// Records when each credential was last used: in memory first, and to the store in batches, so that reads do not become writes.
import type { Caller } from "../kernel/caller.ts";
import { MINUTE_MS } from "../kernel/scheduling/clock.ts";
import type { CredentialUses } from "../resources/tokens/commands.ts";

const FLUSH_AFTER_MS = 5_000;
/** A use within a minute of the stored one is not written. */
const RESOLUTION_MS = MINUTE_MS;
/** Bounds the memory and the write; a credential that does not fit is recorded at its next use. */
const MAX_PENDING = 1_000;

export interface UseLog {
  note(caller: Caller, now: number): void;
  /** Writes the pending uses. */
  close(): Promise<void>;
}

/** `write` stores the uses; after a failure, the stored times are merely older. */
export function createUseLog(write: (uses: CredentialUses, now: number) => Promise<unknown>): UseLog {
  const pending = { token: new Set<string>(), key: new Set<string>() };
  let timer: NodeJS.Timeout | undefined;
  let activeAt = 0;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const uses = { tokenIds: [...pending.token], keyIds: [...pending.key], activeAt };
    if (uses.tokenIds.length + uses.keyIds.length === 0) return;
    pending.token.clear();
    pending.key.clear();
    await write(uses, activeAt).catch(() => undefined);
  }

  return {
    note(caller, now) {
      const { credentialId, kind } = caller;
      if (credentialId === null || now - caller.activeAt < RESOLUTION_MS) return;
      if (pending.token.size + pending.key.size >= MAX_PENDING) return;
      // The batch has one time: its uses are at most a flush apart, far below the resolution.
      activeAt = now;
      pending[kind === "key" ? "key" : "token"].add(credentialId);
      timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref();
    },
    close: flush,
  };
}
