// Who asks this gate, for its health: whether anybody does, and which peers were refused because they are no trusted proxies.

/** Of all peers that were ever refused; anybody may connect, so their number is bounded. */
const MAX_STRANGERS = 20;

export interface Stranger {
  readonly address: string;
  readonly requests: number;
  /** ms since the epoch */
  readonly lastAt: number;
}

/** All times are ms since the epoch. */
export interface ActivityReport {
  /** The gate's clock. */
  readonly now: number;
  readonly startedAt: number;
  /** Decided requests since then. */
  readonly requests: number;
  /** Null: none yet. */
  readonly lastRequestAt: number | null;
  /** Peers that asked for decisions and may not. */
  readonly untrustedPeers: readonly Stranger[];
}

export interface Activity {
  decided(): void;
  refusedPeer(address: string): void;
  report(): ActivityReport;
}

export function createActivity(clock: () => number): Activity {
  const startedAt = clock();
  let requests = 0;
  let lastRequestAt: number | null = null;
  const strangers = new Map<string, Stranger>();
  return {
    decided() {
      requests++;
      lastRequestAt = clock();
    },
    refusedPeer(address) {
      const known = strangers.get(address);
      if (!known && strangers.size >= MAX_STRANGERS) return;
      strangers.set(address, { address, requests: (known?.requests ?? 0) + 1, lastAt: clock() });
    },
    report: () => ({ now: clock(), startedAt, requests, lastRequestAt, untrustedPeers: [...strangers.values()] }),
  };
}
