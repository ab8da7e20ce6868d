// Work that takes long, such as parsing a large body: one piece in each turn of the event loop, the clients in turn, and a client at
// most a quarter of the time.

/** A client waits this many times as long as its last piece of work took. */
const RESTS = 3;

interface Client {
  readonly waiting: (() => void)[];
  /** When its next piece may run. */
  readyAt: number;
}

/** Returns what takes the work out of the queue again. */
export type LargeWork = (client: string, work: () => void) => () => void;

export function createLargeWork(): LargeWork {
  // In the order of their turns. A client stays until it has rested.
  const clients = new Map<string, Client>();
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || clients.size === 0) return;
    isScheduled = true;
    const now = performance.now();
    const readyAt = Math.min(...clients.values().map((client) => client.readyAt));
    if (readyAt <= now) setImmediate(runNext);
    else setTimeout(runNext, readyAt - now);
  }

  function runNext(): void {
    isScheduled = false;
    const startedAt = performance.now();
    const next = clients.entries().find(([, { readyAt }]) => readyAt <= startedAt);
    if (next) {
      const [name, client] = next;
      clients.delete(name);
      const work = client.waiting.shift();
      if (work) {
        clients.set(name, client);
        work();
        const endedAt = performance.now();
        client.readyAt = endedAt + RESTS * (endedAt - startedAt);
      }
    }
    schedule();
  }

  return (name, work) => {
    const client = clients.get(name) ?? { waiting: [], readyAt: 0 };
    clients.set(name, client);
    client.waiting.push(work);
    schedule();
    return () => {
      const at = client.waiting.indexOf(work);
      if (at >= 0) client.waiting.splice(at, 1);
    };
  };
}
