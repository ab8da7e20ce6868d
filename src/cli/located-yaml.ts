// Reads YAML files, and JSON files, which are YAML too.
import { readFileSync } from "node:fs";
import { LineCounter, isNode, parseDocument } from "yaml";
import { Failure } from "./failure.ts";
import type { LocatedFile } from "./located-file.ts";

function pathOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name = ""]) =>
    index === undefined ? name : Number(index),
  );
}

export function readYaml(file: string): LocatedFile {
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
    // A bound on aliases, so that a small file cannot expand to a huge value.
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
