// Expressions of `--jq`, by jq itself, compiled to WebAssembly. It has no files, no environment and no network there.
import { loadJq } from "jq-wasm/inline";
import { Failure } from "../platform/outcomes/failure.ts";

/** What jq says without where it was said: the first line of it. */
function problemOf(stderr: string, exitCode: number): string {
  const [line = ""] = stderr.replace(/^jq: error(?: \(at [^)]*\))?: /, "").split("\n");
  return line === "" ? `the expression ended with ${exitCode}` : line.replace(/:$/, "");
}

/**
 * Resolves to what prints the results of an expression: one a line, JSON without spaces, text as it is. Throws a Failure for an expression that
 * can't be read, and so does a value on which it fails.
 */
export async function compile(expression: string): Promise<(value: unknown) => string> {
  const jq = await loadJq();
  const run = (input: string): string => {
    // Behind a space a minus begins no flag of jq.
    const { stdout, stderr, exitCode } = jq.raw(input, ` ${expression}`, ["--raw-output", "--compact-output"]);
    if (exitCode !== 0) throw new Failure("usage", `--jq: ${problemOf(stderr, exitCode)}`, "jq_failed");
    return stdout === "" ? "" : `${stdout}\n`;
  };
  // Without a value nothing is done with the expression but to read it.
  run("");
  return (value) => run(JSON.stringify(value));
}
