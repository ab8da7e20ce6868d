// YAML, in a module of its own: it is loaded for those who use it.
import { parseDocument, stringify, visit } from "yaml";

/** Line ends and unprintable characters to readers of YAML 1.1, which are many. */
const ESCAPED = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** Texts are in quotes, so that "no" and "1" stay texts, and so are keys that YAML 1.1 takes for something else; lines are not folded. */
export function renderYaml(value: object): string {
  const text = stringify(value, {
    version: "1.1",
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
    lineWidth: 0,
  });
  return text.replaceAll(ESCAPED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Numbers and booleans are texts, as they are written: 1.10 is not 1.1. Throws for what is no YAML. */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new Error("invalid YAML");
  visit(document, {
    Scalar(key, node) {
      const isText = key === "key" || typeof node.value === "number" || typeof node.value === "boolean";
      if (isText && node.source !== undefined) node.value = node.source;
    },
  });
  return document.toJS();
}
