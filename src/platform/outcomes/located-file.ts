// Parsed files with the line of every field, so that an error can name the line.
import { Failure } from "./failure.ts";
import type { InputError } from "./firewall-trial.ts";

export interface LocatedFile {
  readonly file: string;
  readonly value: unknown;
  /** The line (from 1) of a field such as `expectations[2].request`; of its nearest parent when the field is missing. */
  lineOf(field: string): number;
}

/** Throws a Failure that lists each error with its line. */
export function refuseFile({ file, lineOf }: LocatedFile, errors: readonly InputError[]): never {
  const lines = errors.map(({ field, message }) => `${file}:${lineOf(field)}: ${field}: ${message}`);
  throw new Failure("usage", lines.join("\n"), "bad_file");
}
