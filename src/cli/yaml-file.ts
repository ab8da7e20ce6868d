// Reads YAML files, and JSON files, which are YAML too.
import { readFileSync } from "node:fs";
import { fileReason } from "../platform/kernel/text/file-reason.ts";
import { parseYaml } from "../platform/kernel/text/located-yaml.ts";
import { Failure } from "../platform/outcomes/failure.ts";
import { textOf } from "./bodies/input.ts";
import type { LocatedFile } from "../platform/outcomes/located-file.ts";

export function readYaml(file: string): LocatedFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new Failure("usage", `cannot read ${file}: ${fileReason(error)}`, "bad_file");
  }
  const parsed = parseYaml(textOf(file, bytes));
  if ("problem" in parsed) throw new Failure("usage", `${file}:${parsed.line}: ${parsed.problem}`, "bad_file");
  return { file, ...parsed };
}
