// Work that takes long, such as parsing a large body: one piece in each turn of the event loop, and the clients in turn.

export type LargeWork = (client: string, work: () => void) => void;

export function createLargeWork(): LargeWork {
  const queues = new Map<string, (() => void)[]>();

  function runNext(): void {
    const [next] = queues;
    if (!next) return;
    const [client, queue] = next;
    queues.delete(client);
    const work = queue.shift();
    if (queue.length > 0) queues.set(client, queue);
    if (queues.size > 0) setImmediate(runNext);
    work?.();
  }

  return (client, work) => {
    const queue = queues.get(client);
    if (queue) {
      queue.push(work);
      return;
    }
    if (queues.size === 0) setImmediate(runNext);
    queues.set(client, [work]);
  };
}
