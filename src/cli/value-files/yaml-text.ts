// YAML, in a module of its own: it is loaded for those who use it.
import { LineCounter, isPair, isScalar, parseDocument, stringify, visit } from "yaml";
import type { ErrorCode, YAMLMap } from "yaml";
import { lowerFirst } from "../../platform/kernel/text/lower-first.ts";
import { WRONG_CHARACTER } from "../bodies/json-error.ts";

/** Line ends and unprintable characters to readers of YAML 1.1, which are many. */
const ESCAPED = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** Texts are in quotes, so that "no" and "1" stay texts, and so are keys that YAML 1.1 takes for something else; lines are not folded. */
export function renderYaml(value: object): string {
  const text = stringify(value, {
    version: "1.1",
    // Otherwise a text `<<` would have no quotes.
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || tag.tag !== "tag:yaml.org,2002:merge"),
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
    lineWidth: 0,
  });
  return text.replaceAll(ESCAPED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The first key of the map that is there before. */
function findTwice({ items }: YAMLMap): string | undefined {
  const seen = new Set<string>();
  for (const { key } of items) {
    const name = isScalar(key) ? (key.source ?? String(key.value)) : String(key);
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Numbers and booleans are texts, as they are written: 1.10 is not 1.1. Throws for what is no YAML. `twice`: a key that a map has twice. */
export function parseYaml(text: string): { readonly value: unknown; readonly twice: string | undefined } {
  // Its warnings quote the text.
  const document = parseDocument(text, { uniqueKeys: false, logLevel: "error" });
  if (document.errors.length > 0) throw new Error("invalid YAML");
  let twice: string | undefined;
  visit(document, {
    Map(_key, node, path) {
      const parents = path.flatMap((one) => (isPair(one) && isScalar(one.key) ? [String(one.key.value)] : []));
      const name = findTwice(node);
      if (name !== undefined) twice ??= [...parents, name].join(".");
    },
    Scalar(key, node) {
      const isText = key === "key" || typeof node.value === "number" || typeof node.value === "boolean";
      if (isText && node.source !== undefined) node.value = node.source;
    },
  });
  return { value: document.toJS(), twice };
}

/** The parser's messages with these codes quote the text. */
const REASONS: Partial<Readonly<Record<ErrorCode, string>>> = {
  BAD_DIRECTIVE: "a directive that is not known",
  BAD_DQ_ESCAPE: "a backslash before a character that it cannot escape",
  BAD_SCALAR_START: "a value that begins like this needs quotes",
  MULTIPLE_DOCS: "several documents",
};
/** Those with these codes are fixed texts. */
const FIXED: ReadonlySet<ErrorCode> = new Set([
  "ALIAS_PROPS",
  "BAD_ALIAS",
  "BAD_INDENT",
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "KEY_OVER_1024_CHARS",
  "MISSING_CHAR",
  "MULTILINE_IMPLICIT_KEY",
  "MULTIPLE_ANCHORS",
  "MULTIPLE_TAGS",
  "TAB_AS_INDENT",
]);

/** Of a text that `parseYaml` throws for: the line (from 1; null: the parser does not say), and the reason without anything of the text. */
export function explainYaml(text: string): { readonly line: number | null; readonly reason: string } {
  const lineCounter = new LineCounter();
  const [error] = parseDocument(text, { uniqueKeys: false, prettyErrors: false, lineCounter }).errors;
  if (error === undefined) return { line: null, reason: "an alias whose anchor is not before it, or too many aliases" };
  const { code, message, pos } = error;
  const fixed = FIXED.has(code) ? lowerFirst(message) : WRONG_CHARACTER;
  return { line: lineCounter.linePos(pos[0]).line, reason: REASONS[code] ?? fixed };
}
