// Events while they happen, over connections that end: each begins after the last event that came.
import { ReeveError } from "./error.ts";
import { isTransient, pause } from "./transport.ts";

const AGAIN_MS = 2_000;

interface Tail {
  readonly signal: AbortSignal | undefined;
  readonly onBreak: ((error: ReeveError) => void) | undefined;
  /** The lines of one connection that begins after an event. */
  connect(after: unknown): AsyncIterable<string>;
}

/** Events of server-sent lines, from `after` on; undefined: from the first connection on. Throws what no further try would mend. */
export async function* tail(after: unknown, { signal, onBreak, connect }: Tail): AsyncGenerator<unknown, void> {
  let seen = after;
  let isTold = false;
  for (;;) {
    try {
      for await (const line of connect(seen)) {
        isTold = false;
        // The server says where a connection without `after` begins.
        const [, begin] = /^: events after (\d+)$/.exec(line) ?? [];
        if (begin !== undefined) seen = begin;
        if (!line.startsWith("data: ")) continue;
        const event = JSON.parse(line.slice("data: ".length)) as { readonly sequence: number };
        seen = event.sequence;
        yield event;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ReeveError) || !(isTransient(error) || error.status >= 500)) throw error;
      // Once for each time that it was well before.
      if (!isTold) onBreak?.(error);
      isTold = true;
    }
    await pause(AGAIN_MS * (0.5 + Math.random()), signal);
  }
}
