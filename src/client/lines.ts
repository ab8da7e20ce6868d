// Reads a response line by line while it is sent.
import { ReeveError } from "./error.ts";

interface Reading {
  readonly signal?: AbortSignal | undefined;
  /** After so long without a byte the connection counts as broken; undefined: it never does. */
  readonly silenceMs?: number | undefined;
  /** A line break between quotes ends no line, and lines end with CR LF. RFC 4180 */
  readonly isCsv: boolean;
}

const quotesIn = (text: string): number => text.split('"').length - 1;

/** The rows of lines of CSV. Cells have a line break only between quotes, and double the quotes in them. */
async function* joinRows(lines: AsyncIterable<string>): AsyncGenerator<string, void> {
  let open: string[] = [];
  let isQuoted = false;
  for await (const line of lines) {
    if (quotesIn(line) % 2 === 1) isQuoted = !isQuoted;
    open.push(line);
    if (isQuoted) continue;
    yield open.join("\n").replace(/\r$/, "");
    open = [];
  }
  if (open.length > 0) yield open.join("\n");
}

/** The lines of a response. Leaving the loop ends it; `signal` does too. Throws a `ReeveError` where the connection breaks. */
export function readLines(response: Response, reading: Reading): AsyncGenerator<string, void> {
  const lines = splitLines(response, reading);
  return reading.isCsv ? joinRows(lines) : lines;
}

async function* splitLines({ body }: Response, { signal, silenceMs }: Reading): AsyncGenerator<string, void> {
  if (!body) return;
  const reader = (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
  async function next() {
    const silence = Promise.withResolvers<never>();
    const timer =
      silenceMs !== undefined &&
      setTimeout(() => silence.reject(new Error(`nothing came for ${silenceMs} ms`)), silenceMs);
    try {
      return await Promise.race([reader.read(), silence.promise]);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new ReeveError("The response breaks off", { code: "unreachable", cause });
    } finally {
      if (timer !== false) clearTimeout(timer);
    }
  }
  try {
    let rest = "";
    for (let read = await next(); !read.done; read = await next()) {
      const lines = (rest + read.value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    // What the server still sends is not waited for.
    void reader.cancel().catch(() => undefined);
  }
}
