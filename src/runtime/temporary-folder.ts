// A folder for temporary files that are as large as the store: gone when it has been used, and also when somebody ends the
// command meanwhile.
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainFile } from "./whole-file.ts";

const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

async function makeFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), "reeve-restore-"));
  } catch (error) {
    throw explainFile(error, "write", tmpdir());
  }
}

/**
 * Gives `use` the folder. A signal is heard between two turns of the event loop, removes the folder and then does what it
 * would have done. Throws a Failure when no folder can be made.
 */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeFolder();
  function end(signal: NodeJS.Signals): void {
    for (const name of END_SIGNALS) process.off(name, end);
    rmSync(folder, { recursive: true, force: true });
    process.kill(process.pid, signal);
  }
  for (const name of END_SIGNALS) process.on(name, end);
  try {
    return await use(folder);
  } finally {
    for (const name of END_SIGNALS) process.off(name, end);
    await rm(folder, { recursive: true, force: true });
  }
}
