// Values of XML: each text and each attribute with the names of the elements that lead to it, joined by dots (`order.item.@id`).
import { SaxesParser } from "saxes";
import { countStep } from "../time-limit.ts";
import { UndecodableError, joinNames } from "./named-values.ts";
import type { NamedValue } from "./named-values.ts";

const MAX_DEPTH = 64;

/** Prefixes of namespaces are the writer's choice. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Throws an `UndecodableError` when the text is not well-formed, or has a document type, which may define entities. */
export function readXml(text: string): NamedValue[] {
  const values: NamedValue[] = [];
  const open: string[] = [];
  const parser = new SaxesParser({ xmlns: false, position: false });
  const addText = (value: string) => {
    countStep();
    const trimmed = value.trim();
    if (trimmed !== "") values.push([open.at(-1) ?? "", trimmed]);
  };
  parser.on("error", () => {
    throw new UndecodableError("no XML");
  });
  parser.on("doctype", () => {
    throw new UndecodableError("a document type");
  });
  parser.on("opentag", ({ name, attributes }) => {
    countStep();
    if (open.length >= MAX_DEPTH) throw new UndecodableError("nested too deeply");
    const path = joinNames(open.at(-1), localName(name));
    open.push(path);
    for (const [key, value] of Object.entries(attributes)) values.push([`${path}.@${localName(key)}`, value]);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.write(text).close();
  return values;
}
