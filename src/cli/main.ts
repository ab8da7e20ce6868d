// Runs the command line; bin/reeve.js imports it. Each command imports its body when it runs, because most of the time of a start is
// loading modules.
import { runCommandLine } from "./program.ts";
import { fileReason } from "../platform/kernel/text/file-reason.ts";

// Without a listener Node.js opens its debugger on this signal, to everybody on this machine: what it shows has keys and values.
process.on("SIGUSR1", () => undefined);
// `reeve user list | head` closes the pipe early; that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(`reeve: standard output: ${fileReason(error)}\n`);
  process.exit(1);
});
process.exitCode = await runCommandLine();
