// Events when they happen: the stream of the API, connected anew when it ends, without missing one.
import { useEffect, useState } from "react";
import { ApiProblem, fetchLines } from "./call.ts";
import type { Input } from "./endpoints.ts";
import type { Event } from "./objects.ts";

const STREAM = "GET /v3/events/stream";
type Query = NonNullable<Input<typeof STREAM>["query"]>;

const AGAIN_MS = 3_000;
/** Older ones are in the list below after the next look at it. */
const MOST = 200;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function follow(query: Query, signal: AbortSignal, onEvent: (event: Event) => void): Promise<void> {
  let after = query.after;
  while (!signal.aborted) {
    try {
      const options = { accept: "text/event-stream", signal };
      for await (const line of fetchLines(
        STREAM,
        { query: { ...query, ...(after === undefined ? {} : { after }) } },
        options,
      )) {
        if (!line.startsWith("data: ")) continue;
        const event = JSON.parse(line.slice(6)) as Event;
        after = event.sequence;
        onEvent(event);
      }
    } catch (error) {
      // What the API refuses, it refuses again; a server that is gone may come back.
      if (signal.aborted) return;
      if (error instanceof ApiProblem && error.status < 500) throw error;
    }
    await pause(AGAIN_MS);
  }
}

interface Followed {
  /** What is followed. */
  readonly key: string;
  readonly events: readonly Event[];
  readonly error: Error | null;
}

/** Events since the page began to follow, newest first; `isOn`: whether it follows. */
export function useLiveEvents(query: Query, isOn: boolean): Pick<Followed, "events" | "error"> {
  const key = isOn ? JSON.stringify(query) : "";
  const nothing: Followed = { key, events: [], error: null };
  const [followed, setFollowed] = useState(nothing);
  useEffect(() => {
    if (key === "") return;
    const stop = new AbortController();
    const change = (act: (now: Followed) => Partial<Followed>): void =>
      setFollowed((before) => {
        const now = before.key === key ? before : { key, events: [], error: null };
        return { ...now, ...act(now) };
      });
    follow(JSON.parse(key) as Query, stop.signal, (event) =>
      change(({ events }) => ({ events: [event, ...events].slice(0, MOST) })),
    ).catch((error: unknown) => change(() => ({ error: error as Error })));
    return () => stop.abort();
  }, [key]);
  return followed.key === key ? followed : nothing;
}
