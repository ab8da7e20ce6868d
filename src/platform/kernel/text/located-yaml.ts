// Parses YAML, and JSON, which is YAML too, with the line of every field, so that an error can name the line.
import { LineCounter, isNode, parseDocument } from "yaml";

export interface LocatedText {
  readonly value: unknown;
  /** The line (from 1) of a field such as `expectations[2].request`; of its nearest parent when the field is missing. */
  lineOf(field: string): number;
}

/** What keeps a text from being YAML. */
export interface YamlProblem {
  readonly line: number;
  readonly problem: string;
}

function pathOf(field: string): (string | number)[] {
  return [...field.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(([, index, name = ""]) =>
    index === undefined ? name : Number(index),
  );
}

export function parseYaml(text: string): LocatedText | YamlProblem {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const [problem] = document.errors;
  if (problem) {
    const { line } = lineCounter.linePos(problem.pos[0]);
    return { line, problem: problem.message.split(" at line ")[0] ?? problem.message };
  }
  return {
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
