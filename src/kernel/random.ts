// Random bytes, drawn from the system in batches: one draw costs about as much as a point read.
import { randomFillSync } from "node:crypto";

const pool = Buffer.allocUnsafe(4096);
let offset = pool.length;

/** Makes sure that the pool has this many bytes that nobody has had. */
function ensure(length: number): void {
  if (offset + length <= pool.length) return;
  randomFillSync(pool);
  offset = 0;
}

export function nextByte(): number {
  ensure(1);
  const byte = pool[offset] as number;
  // What credentials and generated secrets were made of is not kept.
  pool[offset++] = 0;
  return byte;
}

/** At most 4096 bytes. They are the caller's, to be wiped. */
export function nextBytes(length: number): Buffer {
  ensure(length);
  const bytes = Buffer.from(pool.subarray(offset, offset + length));
  pool.fill(0, offset, (offset += length));
  return bytes;
}
