// Splits a stream into lines; only the length of a line is bounded.
import { ApiError } from "../../platform/kernel/errors.ts";

const NEWLINE = 0x0a;

/** Splits chunks into lines. A line is wiped when the next one is requested, a chunk when it is consumed. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...pieces, rest.subarray(0, end)]);
      for (const piece of pieces) piece.fill(0);
      pieces = [];
      length = 0;
      rest = rest.subarray(end + 1);
      yield line;
      line.fill(0);
    }
    // A copy, so that the chunk can be wiped as a whole.
    if (rest.length > 0) pieces.push(Buffer.from(rest));
    length += rest.length;
    chunk.fill(0);
    if (length > maxBytes) throw new ApiError("bad_request", `expected at most ${maxBytes} bytes`);
  }
  if (length > 0) yield Buffer.concat(pieces);
}
