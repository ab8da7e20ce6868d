// Runs work after what is ready on the event loop now. setImmediate does the same as long as fewer than 1024 sockets are
// ready at a time; with more, libuv goes on reading up to 48 times before it comes to immediates and timers
// (uv__io_poll), which is seconds. A message to oneself waits in the same line as the sockets do.
import { MessageChannel } from "node:worker_threads";

/** Answers how to run `work` once, after what is ready at that moment. */
export function createAfterReady(work: () => void): () => void {
  const { port1, port2 } = new MessageChannel();
  port2.on("message", work);
  // It keeps no process alive: what is read meanwhile does.
  port1.unref();
  port2.unref();
  return () => port1.postMessage(null);
}
