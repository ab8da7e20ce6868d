// How commander prints help and complaints: commands in it run where it is printed, and none is broken over lines.
import { Help } from "commander";
import type { Command } from "commander";
import { printHelp } from "./output.ts";
import { makeRunnable } from "./runnable.ts";
import type { Invocation } from "./runnable.ts";

/** Stands for a space at which no line may end. */
const HELD = "\u0000";

const holdTogether = (text: string): string => text.replaceAll(/`[^`\n]*`/g, (span) => span.replaceAll(" ", HELD));

/** `complain` receives why a line can't be understood. */
export function configureHelp(command: Command, invocation: Invocation, complain: (text: string) => void): Command {
  const { boxWrap } = Help.prototype;
  return command
    .configureHelp({
      boxWrap(this: Help, text, width) {
        const wrapped = boxWrap.call(this, holdTogether(makeRunnable(text, invocation)), width);
        return wrapped.replaceAll(HELD, " ");
      },
    })
    .configureOutput({ writeOut: (text) => printHelp(makeRunnable(text, invocation)), writeErr: complain });
}
