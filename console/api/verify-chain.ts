// Verifies a chain of events in the browser: each hash is computed anew from what is stored and the hash before.
import { fetchLines } from "./call.ts";

const EVENTS = "GET /v3/events/export";

interface Link {
  readonly columns: readonly unknown[];
  readonly hash: string;
}

export interface ChainResult {
  /** How many events were verified. */
  readonly events: number;
  /** Of the newest of them. */
  readonly hash: string;
  /** The position of the first event whose hash is another one; null: all are right. */
  readonly brokenAt: number | null;
  /** The hashes at the positions that were asked for, as far as the chain has them. */
  readonly hashes: ReadonlyMap<number, string>;
}

function hexOf(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Browsers compute hashes on pages of https and localhost only. */
export const canVerify = (): boolean => globalThis.crypto.subtle !== undefined;

async function hashOf(before: string, columns: readonly unknown[]): Promise<string> {
  const text = new TextEncoder().encode(`${before}\n${JSON.stringify(columns)}`);
  return hexOf(await crypto.subtle.digest("SHA-256", text));
}

/**
 * Reads the whole chain of a team; `onProgress` gets the number of events so far. The first event that is still stored is taken for
 * granted where those before it were pruned.
 */
export async function verifyChain(
  teamId: string,
  signal: AbortSignal,
  onProgress: (events: number) => void,
  wanted: ReadonlySet<number> = new Set(),
): Promise<ChainResult> {
  const lines = fetchLines(EVENTS, { query: { teamId, form: "chain" } }, { accept: "application/x-ndjson", signal });
  const hashes = new Map<number, string>();
  let [events, last, hash] = [0, 0, ""];
  for await (const line of lines) {
    if (line === "") continue;
    const link = JSON.parse(line) as Link;
    const sequence = Number(link.columns[1]);
    const isTrusted = events === 0 && sequence > 1;
    const isRight = isTrusted || (sequence === last + 1 && (await hashOf(hash, link.columns)) === link.hash);
    if (!isRight) return { events, hash, brokenAt: sequence, hashes };
    if (wanted.has(sequence)) hashes.set(sequence, link.hash);
    ({ hash } = link);
    last = sequence;
    events++;
    if (events % 500 === 0) onProgress(events);
  }
  return { events, hash, brokenAt: null, hashes };
}
