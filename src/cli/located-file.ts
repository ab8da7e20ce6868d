// Files that people write, with the line of every field, to tell them where something is wrong.
import { Failure } from "./failure.ts";
import type { InputFault } from "./commands/firewall-trial.ts";

export interface LocatedFile {
  readonly file: string;
  readonly value: unknown;
  /** The line of a field such as `expectations[2].request`, or of what it would stand in; from 1. */
  lineOf(field: string): number;
}

/** The end for a file with faults: each with its line. */
export function refuseFile({ file, lineOf }: LocatedFile, faults: readonly InputFault[]): never {
  const lines = faults.map(({ field, message }) => `${file}:${lineOf(field)}: ${field}: ${message}`);
  throw new Failure("usage", lines.join("\n"), "bad_file");
}
