// Who asks this gate, for its health: whether anybody does, which peers were refused because they are no trusted proxies, and for which
// hosts the gate has no project.
import type { ActivityReport, Refused } from "./gate-status.ts";

/** Anybody may connect, and send any host, so that only the first are kept. */
const MAX_KEPT = 20;

export interface Activity {
  decided(): void;
  /** Returns whether the address is a new one, which is worth a line in the log. */
  refusedPeer(address: string): boolean;
  /** The same for a host. */
  refusedHost(host: string): boolean;
  report(): ActivityReport;
}

/** Counts by name. Returns whether the name is a new one. */
function countRefused(refused: Map<string, Refused>, name: string, now: number): boolean {
  const known = refused.get(name);
  if (!known && refused.size >= MAX_KEPT) return false;
  refused.set(name, { requests: (known?.requests ?? 0) + 1, lastAt: now });
  return !known;
}

export function createActivity(clock: () => number): Activity {
  const startedAt = clock();
  let requests = 0;
  let lastRequestAt: number | null = null;
  const peers = new Map<string, Refused>();
  const hosts = new Map<string, Refused>();
  return {
    decided() {
      requests++;
      lastRequestAt = clock();
    },
    refusedPeer: (address) => countRefused(peers, address, clock()),
    refusedHost: (host) => countRefused(hosts, host, clock()),
    report: () => ({
      now: clock(),
      startedAt,
      requests,
      lastRequestAt,
      untrustedPeers: [...peers].map(([address, refused]) => ({ address, ...refused })),
      unknownHosts: [...hosts].map(([host, refused]) => ({ host, ...refused })),
    }),
  };
}
