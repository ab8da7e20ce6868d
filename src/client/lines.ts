// Reads a response line by line while it is sent.
import { ReeveError } from "./error.ts";

interface Reading {
  readonly signal?: AbortSignal | undefined;
  /** After so long without a byte the connection counts as broken; undefined: it never does. */
  readonly silenceMs?: number | undefined;
}

/** The lines of a response. Leaving the loop ends it; `signal` does too. Throws a `ReeveError` where the connection breaks. */
export async function* readLines({ body }: Response, { signal, silenceMs }: Reading): AsyncGenerator<string, void> {
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
