// Reads YAML files, and JSON files, which are YAML too.
import { readFileSync } from "node:fs";
import { fileReason } from "../kernel/text/file-reason.ts";
import { parseYaml } from "../kernel/text/located-yaml.ts";
import { Failure } from "./failure.ts";
import type { LocatedFile } from "./located-file.ts";

export function readYaml(file: string): LocatedFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Failure("usage", `cannot read ${file}: ${fileReason(error)}`, "bad_file");
  }
  const parsed = parseYaml(text);
  if ("problem" in parsed) throw new Failure("usage", `${file}:${parsed.line}: ${parsed.problem}`, "bad_file");
  return { file, ...parsed };
}
