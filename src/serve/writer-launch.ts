// Launches the embedded store's writer thread. The command line launches it before it loads the server's modules, so that both
// load at the same time; so this file imports next to nothing.
import type { Worker } from "node:worker_threads";
import { launchThread } from "../platform/store/sqlite/writer-client.ts";

/** The thread loads the writer and waits for its setup. */
export function launchWriter(): Worker {
  // The entry is beside this file in the source, and beside every file in dist/.
  return launchThread(new URL(import.meta.url.endsWith(".ts") ? "./writer.ts" : "./writer.js", import.meta.url));
}
