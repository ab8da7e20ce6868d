// Events when they happen: the stream of the API, connected anew when it ends, without missing one.
import { useEffect, useEffectEvent, useState } from "react";
import { isRefusal, fetchLines } from "./call.ts";
import type { Input } from "./endpoints.ts";
import type { Event } from "./objects.ts";

const STREAM = "GET /v3/events/stream";
type Query = NonNullable<Input<typeof STREAM>["query"]>;

const AGAIN_MS = 3_000;
/** After so many the list below is read again, so that it has what is left out here. */
const MANY = 100;
const MOST = 2 * MANY;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Listener {
  readonly onEvent: (event: Event) => void;
  /** Null: it is connected. */
  readonly onState: (error: Error | null) => void;
}

async function follow(query: Query, since: number, signal: AbortSignal, listener: Listener): Promise<void> {
  let after = since;
  const options = { accept: "text/event-stream", signal, onOpen: () => listener.onState(null) };
  while (!signal.aborted) {
    try {
      for await (const line of fetchLines(STREAM, { query: { ...query, after } }, options)) {
        if (!line.startsWith("data: ")) continue;
        const event = JSON.parse(line.slice(6)) as Event;
        after = event.sequence;
        listener.onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      listener.onState(error as Error);
      // What the API refuses, it refuses again; a server that is gone or has enough streams may take one later.
      if (isRefusal(error) && error.status < 500 && error.status !== 429) return;
    }
    await pause(AGAIN_MS);
  }
}

interface Followed {
  /** What is followed. */
  readonly key: string;
  readonly events: readonly Event[];
  /** Why nothing comes at the moment. */
  readonly error: Error | null;
}

interface Begin {
  /** The sequence of the newest event that is known, which is looked at when the page begins to follow; null: it does not follow. */
  readonly since: number | null;
  /** Many events have come, of which only the newest are kept here. */
  readonly onMany: () => void;
}

/** Events since the page began to follow, newest first. */
export function useLiveEvents(query: Query, { since, onMany }: Begin): Pick<Followed, "events" | "error"> {
  const key = since === null ? "" : JSON.stringify(query);
  const nothing: Followed = { key, events: [], error: null };
  const [followed, setFollowed] = useState(nothing);
  const begin = useEffectEvent(() => since ?? 0);
  const tellMany = useEffectEvent(onMany);
  useEffect(() => {
    if (key === "") return;
    const stop = new AbortController();
    let count = 0;
    const change = (act: (now: Followed) => Partial<Followed>): void =>
      setFollowed((before) => {
        const now = before.key === key ? before : { key, events: [], error: null };
        return { ...now, ...act(now) };
      });
    void follow(JSON.parse(key) as Query, begin(), stop.signal, {
      onEvent(event) {
        change(({ events }) => ({ events: [event, ...events].slice(0, MOST) }));
        if (++count % MANY === 0) tellMany();
      },
      onState: (error) => change(() => ({ error })),
    });
    return () => stop.abort();
  }, [key]);
  return followed.key === key ? followed : nothing;
}
