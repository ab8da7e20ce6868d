// When each credential was last used: collected in memory and written once in a while, so that a read stays a read.
import type { Caller } from "./kernel/caller.ts";
import { MINUTE_MS } from "./kernel/clock.ts";

const FLUSH_AFTER_MS = 5_000;
/** A use within a minute of the last one that was written is not worth a write. */
const RESOLUTION_MS = MINUTE_MS;
const MAX_PENDING = 1_000;

export interface CredentialUse {
  readonly credentialId: string;
  readonly kind: "token" | "key";
  readonly activeAt: number;
}

export interface UseLog {
  note(caller: Caller, now: number): void;
  /** Writes what is pending. */
  close(): Promise<void>;
}

/** `write` stores the uses; a failure only costs their precision. */
export function createUseLog(write: (uses: readonly CredentialUse[], now: number) => Promise<unknown>): UseLog {
  let pending = new Map<string, CredentialUse>();
  let timer: NodeJS.Timeout | undefined;
  let lastNow = 0;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (pending.size === 0) return;
    const uses = [...pending.values()];
    pending = new Map();
    await write(uses, lastNow).catch(() => undefined);
  }

  return {
    note(caller, now) {
      const { credentialId, kind, activeAt } = caller;
      if (credentialId === null || now - activeAt < RESOLUTION_MS || pending.size >= MAX_PENDING) return;
      lastNow = now;
      pending.set(credentialId, { credentialId, kind: kind === "key" ? "key" : "token", activeAt: now });
      timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref();
    },
    close: flush,
  };
}
