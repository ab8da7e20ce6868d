// Records when each credential was last used: in memory first, and to the store in batches, so that reads do not become writes.
import type { Caller } from "../platform/kernel/caller.ts";
import { MINUTE_MS } from "../platform/kernel/scheduling/clock.ts";
import type { CredentialUses } from "../identity/tokens/internal-changes.ts";

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
  const pending = { token: new Set<string>(), key: new Set<string>(), session: new Set<string>() };
  let timer: NodeJS.Timeout | undefined;
  let activeAt = 0;

  const countPending = () => Object.values(pending).reduce((sum, { size }) => sum + size, 0);

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (countPending() === 0) return;
    const uses = {
      tokenIds: [...pending.token],
      keyIds: [...pending.key],
      sessionIds: [...pending.session],
      activeAt,
    };
    for (const ids of Object.values(pending)) ids.clear();
    await write(uses, activeAt).catch(() => undefined);
  }

  return {
    note(caller, now) {
      const { credentialId, kind, provedAt } = caller;
      if (credentialId === null || now - caller.activeAt < RESOLUTION_MS) return;
      if (countPending() >= MAX_PENDING) return;
      // The batch has one time: its uses are at most a flush apart, far below the resolution.
      activeAt = now;
      if (kind === "key") pending.key.add(credentialId);
      else pending[provedAt === null ? "token" : "session"].add(credentialId);
      timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref();
    },
    close: flush,
  };
}
