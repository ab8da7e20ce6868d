// How commander prints help and complaints: commands in it are written as people type them here, and none is broken over lines.
import { Help } from "commander";
import type { Command } from "commander";
import { currentProcess } from "../platform/kernel/settings/current-process.ts";
import { printHelp } from "./output.ts";
import { makeRunnable } from "./runnable.ts";

/** Stands for a space at which no line may end. */
const HELD = "\u0000";

const holdTogether = (text: string): string => text.replaceAll(/`[^`\n]*`/g, (span) => span.replaceAll(" ", HELD));

/** `ownCommand` stands in for `reeve`; `complain` receives why a line can't be understood. */
export function configureHelp(command: Command, ownCommand: string, complain: (text: string) => void): Command {
  // Help is about commands as such, whatever data and server this line names.
  const invocation = { command: ownCommand, flags: {} };
  const { boxWrap } = Help.prototype;
  return command
    .configureHelp({
      boxWrap(this: Help, text, width) {
        const wrapped = boxWrap.call(this, holdTogether(makeRunnable(text, invocation)), width);
        return wrapped.replaceAll(HELD, " ");
      },
    })
    .configureOutput({
      getOutHelpWidth: () => currentProcess().stdout.columns ?? 80,
      getErrHelpWidth: () => currentProcess().stderr.columns ?? 80,
      writeOut: (text) => printHelp(makeRunnable(text, invocation)),
      writeErr: complain,
    });
}
