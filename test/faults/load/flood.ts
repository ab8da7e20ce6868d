// Floods a server with requests from another process (flood-process.ts).
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export interface Flood {
  readonly port: number;
  readonly token: string;
  readonly seconds: number;
  /** Null: each connection sends its next request when the one before it is answered. */
  readonly perSecond: number | null;
  /** The maximum. */
  readonly connections: number;
  /** Sent in turn. `UNIQUE` in a body becomes a name that no other request has. */
  readonly mix: readonly {
    readonly kind: string;
    readonly method: string;
    readonly path: string;
    readonly body?: string;
  }[];
}

export interface KindResult {
  readonly statuses: Record<string, number>;
  /** Codes of the refusals. */
  readonly codes: Record<string, number>;
  withoutRetryAfter: number;
  /** When each request was sent, and how long it took. */
  readonly acceptedMs: [sentMs: number, tookMs: number][];
  readonly refusedMs: number[];
}

export interface FloodResult {
  readonly sent: number;
  /** Requests for which no connection was free. */
  readonly unsent: number;
  readonly broken: number;
  readonly cpuSeconds: number;
  readonly kinds: Readonly<Record<string, KindResult>>;
}

const PROCESS = join(import.meta.dirname, "flood-process.ts");

/** Resolves when every request has its response or a broken connection. */
export async function sendFlood(flood: Flood): Promise<FloodResult> {
  const child = spawn(process.execPath, [PROCESS, JSON.stringify(flood)], { stdio: ["ignore", "pipe", "inherit"] });
  const printed = await text(child.stdout);
  return JSON.parse(printed) as FloodResult;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
