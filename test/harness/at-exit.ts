// What this process undoes before it ends, also when a signal ends it: servers that it started, folders that it made.
import { constants } from "node:os";

const undone: (() => void)[] = [];

function undoAll(): void {
  for (let undo = undone.pop(); undo; undo = undone.pop()) undo();
}

/** The last registered runs first. It has to be synchronous, and to bear that everything is undone already. */
export function atExit(undo: () => void): void {
  undone.push(undo);
  if (process.listeners("exit").includes(undoAll)) return;
  process.on("exit", undoAll);
  // Without a listener these signals end the process, and nothing runs before.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}
