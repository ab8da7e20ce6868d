// Runs work after the events that are ready on the event loop now. setImmediate does the same while fewer than 1024 sockets are
// ready at a time. With more, libuv polls up to 48 times before it runs immediates and timers (uv__io_poll), which takes seconds.
// A message to the own thread is polled together with the sockets.
import { MessageChannel } from "node:worker_threads";

/** Returns a function that runs `work` once, after the events that are ready when it is called. */
export function createAfterReady(work: () => void): () => void {
  const { port1, port2 } = new MessageChannel();
  port2.on("message", work);
  // The ports do not keep the process alive; the sockets that are being read do.
  port1.unref();
  port2.unref();
  return () => port1.postMessage(null);
}
