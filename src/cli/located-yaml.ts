// YAML (and so JSON) files that people write, with the line of every field, to tell them where something is wrong.
import { readFileSync } from "node:fs";
import { Failure } from "./failure.ts";
import type { InputFault } from "./firewall-trial.ts";

export interface LocatedYaml {
  readonly file: string;
  readonly value: unknown;
  /** The line of a field such as `expectations[2].request`, or of what it would stand in; from 1. */
  lineOf(field: string): number;
}

function pathOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name = ""]) =>
    index === undefined ? name : Number(index),
  );
}

/** The end for a file with faults: each with its line. */
export function refuseFile(yaml: LocatedYaml, faults: readonly InputFault[]): never {
  const lines = faults.map(({ field, message }) => `${yaml.file}:${yaml.lineOf(field)}: ${field}: ${message}`);
  throw new Failure("usage", lines.join("\n"), "bad_file");
}

export async function readYaml(file: string): Promise<LocatedYaml> {
  // Loaded on demand: no other command needs it.
  const { LineCounter, isNode, parseDocument } = await import("yaml");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Failure("usage", `cannot read ${file}: ${(error as Error).message}`, "bad_file");
  }
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [problem] = document.errors;
  if (problem) {
    const { line } = lineCounter.linePos(problem.pos[0]);
    throw new Failure("usage", `${file}:${line}: ${problem.message.split(" at line ")[0]}`, "bad_file");
  }
  return {
    file,
    // Aliases are bounded, so that no small file becomes a huge value.
    value: document.toJS({ maxAliasCount: 100 }),
    lineOf(field) {
      const path = pathOf(field);
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return lineCounter.linePos(node.range[0]).line;
      }
      return 1;
    },
  };
}
