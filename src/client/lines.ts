// Reads a response line by line while it is sent.
import { ReeveError } from "./error.ts";

/** The lines of a response. Whoever stops reading ends it; `signal` does too. Throws a `ReeveError` where the connection breaks. */
export async function* readLines({ body }: Response, signal?: AbortSignal): AsyncGenerator<string, void> {
  if (!body) return;
  const reader = (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
  const next = () =>
    reader.read().catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw new ReeveError("The response breaks off", { code: "unreachable", cause });
    });
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
