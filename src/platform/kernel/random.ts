// Random bytes, read from the system in batches: one system call takes about as long as a point read of the store.
import { randomFillSync } from "node:crypto";

const pool = Buffer.allocUnsafe(4096);
let offset = pool.length;

/** Ensures that the pool has this many unused bytes. */
function ensure(length: number): void {
  if (offset + length <= pool.length) return;
  randomFillSync(pool);
  offset = 0;
}

export function nextByte(): number {
  ensure(1);
  const byte = pool[offset] as number;
  // Credentials and generated secrets are made of these bytes, so the pool does not keep them.
  pool[offset++] = 0;
  return byte;
}

/** At most 4096 bytes. The caller owns them and wipes them. */
export function nextBytes(length: number): Buffer {
  ensure(length);
  const bytes = Buffer.from(pool.subarray(offset, offset + length));
  pool.fill(0, offset, (offset += length));
  return bytes;
}
