// Starts the thread that will be the embedded store's writer. It loads what it needs beside the thread that starts the
// server, so this file loads next to nothing.
import type { Worker } from "node:worker_threads";
import { launchThread } from "../store/sqlite/writer-client.ts";

/** A thread that loads the writer and then waits to be told on what to work. */
export function launchWriter(): Worker {
  // Beside this file in the source, and beside every file in dist/.
  return launchThread(new URL(import.meta.url.endsWith(".ts") ? "./writer.ts" : "./writer.js", import.meta.url));
}
