// Heap snapshots of a process that was started with `--inspect`: of its main thread and of each worker thread, after a garbage
// collection. They contain every reachable string and object, and no bytes of buffers.
import { once } from "node:events";

interface Message {
  readonly id?: number;
  readonly method?: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- as the protocol has it
  readonly params?: any;
  readonly error?: { readonly message: string };
}

/** Sends commands to one thread, and receives its events. */
interface Channel {
  send(method: string, params?: object): Promise<void>;
  listen(hear: (message: Message) => void): void;
}

const TIMEOUT_MS = 120_000;

function createChannel(post: (message: string) => void): Channel & { receive(message: Message): void } {
  let lastId = 0;
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  const listeners: ((message: Message) => void)[] = [];
  return {
    send(method, params = {}) {
      const response = Promise.withResolvers<void>();
      waiting.set(++lastId, response);
      post(JSON.stringify({ id: lastId, method, params }));
      return response.promise;
    },
    listen: (hear) => listeners.push(hear),
    receive(message) {
      const response = waiting.get(message.id ?? 0);
      if (!response) return listeners.forEach((hear) => hear(message));
      if (message.error) response.reject(new Error(message.error.message));
      else response.resolve();
    },
  };
}

async function takeSnapshot({ send, listen }: Channel): Promise<string> {
  const chunks: string[] = [];
  listen(({ method, params }) => {
    if (method === "HeapProfiler.addHeapSnapshotChunk") chunks.push(params.chunk as string);
  });
  await send("HeapProfiler.enable");
  await send("HeapProfiler.collectGarbage");
  await send("HeapProfiler.takeHeapSnapshot", { reportProgress: false, captureNumericValue: false });
  return chunks.join("");
}

/** Snapshots by the name of the thread; `url` is the one that the process printed. */
export async function takeHeapSnapshots(url: string): Promise<Map<string, string>> {
  const socket = new WebSocket(url);
  const timer = setTimeout(() => socket.close(), TIMEOUT_MS);
  const closed = once(socket, "close").then(() => {
    throw new Error("the inspector went away");
  });
  // Only callers that wait for a response learn of the failure.
  closed.catch(() => undefined);
  await once(socket, "open");
  const main = createChannel((text) => socket.send(text));
  socket.addEventListener("message", ({ data }) => main.receive(JSON.parse(String(data)) as Message));
  const workers = new Map<string, ReturnType<typeof createChannel>>();
  main.listen(({ method, params }) => {
    const sessionId = params?.sessionId as string;
    if (method === "NodeWorker.attachedToWorker") {
      const post = (message: string) => void main.send("NodeWorker.sendMessageToWorker", { sessionId, message });
      workers.set(sessionId, createChannel(post));
    } else if (method === "NodeWorker.receivedMessageFromWorker") {
      workers.get(sessionId)?.receive(JSON.parse(params.message as string) as Message);
    }
  });
  const take = async () => {
    await main.send("NodeWorker.enable", { waitForDebuggerOnStart: false });
    const snapshots = new Map([["main thread", await takeSnapshot(main)]]);
    for (const [id, worker] of workers) snapshots.set(`worker ${id}`, await takeSnapshot(worker));
    return snapshots;
  };
  try {
    return await Promise.race([take(), closed]);
  } finally {
    clearTimeout(timer);
    socket.close();
  }
}
