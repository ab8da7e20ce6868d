// A progress bar on the last line of a terminal. It is written to standard error, and only to a terminal.
import type { ShowProgress } from "../platform/outcomes/progress.ts";
import { currentProcess } from "../platform/kernel/settings/current-process.ts";
import type { Terminal } from "../platform/kernel/settings/current-process.ts";

const WIDTH = 30;

/** Runs long work that reports its progress. The bar is erased when the work ends or fails. */
export async function withProgress<T>(
  label: string,
  work: (show: ShowProgress) => Promise<T>,
  terminal: Terminal = currentProcess().stderr,
): Promise<T> {
  if (!terminal.isTTY) return await work(() => undefined);
  let shown = -1;
  try {
    return await work((done, total) => {
      const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
      if (percent === shown) return;
      shown = percent;
      const bar = "#".repeat(Math.round((percent / 100) * WIDTH)).padEnd(WIDTH, ".");
      terminal.write(`\r${label} [${bar}] ${percent} %  ${done} of ${total}`);
    });
  } finally {
    terminal.write("\r\u001B[2K");
  }
}

/** Names the sessions that hold a lock for which a command waits. */
export function showWait(holders: string): void {
  void currentProcess().stderr.write(`reeve: waits for a lock that other sessions hold: ${holders}\n`);
}

/** Shows how many there are so far, while nobody knows how many there will be. */
export async function withCount<T>(
  label: string,
  work: (show: (count: number) => void) => Promise<T>,
  terminal: Terminal = currentProcess().stderr,
): Promise<T> {
  if (!terminal.isTTY) return await work(() => undefined);
  try {
    return await work((count) => void terminal.write(`\r\u001B[2K${label} ${count}`));
  } finally {
    terminal.write("\r\u001B[2K");
  }
}
