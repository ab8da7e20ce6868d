// The small changes of a source text that a test has to notice: a condition decided, a comparison turned, a call left out.
import { parseSync, visitorKeys } from "oxc-parser";

export interface Mutation {
  readonly start: number;
  readonly end: number;
  /** The replacement. */
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const OPERATORS: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "+": "-",
  "-": "+",
};

const METHODS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
]);

/**
 * Calls whose absence shows only to who reads freed memory, counts open files or cuts the power: wiping a key, closing and syncing a file
 * that the end of the process closes anyway.
 */
const UNSEEN = /^(?:\w+\.fill\(0\)|closeSync\(\w+\)|fsyncSync\(\w+\))$/;

/** The mutations of one node, not those of its children. */
function mutationsOf(node: Node, text: string): Mutation[] {
  const at = ({ start, end }: Node, replacement: string): Mutation => ({ start, end, text: replacement });
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
      return ["true", "false"].map((decided) => at(node["test"] as Node, decided));
    case "BinaryExpression":
    case "LogicalExpression": {
      const [left, right] = [node["left"] as Node, node["right"] as Node];
      const operator = OPERATORS[node["operator"] as string];
      if (operator === undefined) return [];
      // Texts cannot be subtracted: TypeScript would notice.
      if (operator === "-" && [left, right].some(({ type }) => type.endsWith("Literal") && !isNumber(type, text, left)))
        return [];
      const between = text.slice(left.end, right.start);
      const turned = between.replace(node["operator"] as string, operator);
      const both = `${text.slice(left.start, left.end)}${turned}${text.slice(right.start, right.end)}`;
      return [at(node, `(${both})`)];
    }
    case "UnaryExpression":
      return node["operator"] === "!" ? [at(node, text.slice((node["argument"] as Node).start, node.end))] : [];
    case "ExpressionStatement": {
      const expression = node["expression"] as Node;
      const called = expression.type === "AwaitExpression" ? (expression["argument"] as Node) : expression;
      const isSeen = called.type === "CallExpression" && !UNSEEN.test(text.slice(called.start, called.end));
      return isSeen ? [at(node, ";")] : [];
    }
    case "Literal":
      return typeof node["value"] === "boolean" ? [at(node, String(!node["value"]))] : [];
    case "MemberExpression": {
      const property = node["property"] as Node;
      const other = METHODS.get(text.slice(property.start, property.end));
      return other === undefined || node["computed"] === true ? [] : [at(property, other)];
    }
    default:
      return [];
  }
}

function isNumber(type: string, text: string, { start, end }: Node): boolean {
  return type === "Literal" && /^\d/.test(text.slice(start, end));
}

/** All mutations of a TypeScript text. Types have none. */
export function listMutations(file: string, text: string): Mutation[] {
  const found: Mutation[] = [];
  function visit(node: Node): void {
    if (node.type.startsWith("TS") && !/^TS(?:As|NonNull|Satisfies)/.test(node.type)) return;
    found.push(...mutationsOf(node, text));
    for (const key of visitorKeys[node.type] ?? []) {
      const children = [node[key]].flat() as readonly (Node | null | undefined)[];
      for (const child of children) if (child) visit(child);
    }
  }
  visit(parseSync(file, text).program as unknown as Node);
  return found;
}
