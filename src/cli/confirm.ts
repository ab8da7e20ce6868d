// Asks before something is destroyed: on a terminal. A program says --yes.
import { createInterface } from "node:readline/promises";
import { Failure } from "../platform/outcomes/failure.ts";
import { currentProcess } from "../platform/kernel/settings/current-process.ts";

/** Resolves when the question was answered with yes; throws a Failure else. */
export async function confirm(question: string, isYes: boolean): Promise<void> {
  if (isYes) return;
  const { stdin: input, stderr: output } = currentProcess();
  if (!input.isTTY || !output.isTTY) {
    throw new Failure("usage", `--yes: expected it, because there is no terminal to ask on: ${question}`);
  }
  const terminal = createInterface({ input, output });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (/^y(?:es)?$/i.test(answer.trim())) return;
  } catch {
    // Ctrl-C and Ctrl-D.
  } finally {
    terminal.close();
  }
  throw new Failure("refused", "nothing was done", "cancelled");
}
