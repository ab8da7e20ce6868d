// Reads a response line by line while it is sent.

/** The lines of a response. Whoever stops reading ends it. */
export async function* readLines({ body }: Response): AsyncGenerator<string, void> {
  if (!body) return;
  const reader = (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
  try {
    let rest = "";
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
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
