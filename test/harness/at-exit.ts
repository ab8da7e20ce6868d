// Undoes what this process started or created before it ends, also on a signal: servers and folders.
import { constants } from "node:os";

const undone: (() => void)[] = [];

function undoAll(): void {
  for (let undo = undone.pop(); undo; undo = undone.pop()) undo();
}

/** The last registered function runs first. It has to be synchronous, and to tolerate that everything is undone already. */
export function atExit(undo: () => void): void {
  undone.push(undo);
  if (process.listeners("exit").includes(undoAll)) return;
  process.on("exit", undoAll);
  // Without a listener these signals end the process before any handler runs.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}
