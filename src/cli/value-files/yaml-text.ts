// YAML, in a module of its own: it is loaded for those who use it.
import { parse, stringify } from "yaml";

/** Texts are in quotes, so that "no" and "1" stay texts; lines are not folded. */
export function renderYaml(value: object): string {
  return stringify(value, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN", lineWidth: 0 });
}

export function parseYaml(text: string): unknown {
  return parse(text);
}
