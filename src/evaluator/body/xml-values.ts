// Values of XML: each text and each attribute with the names of the elements that lead to it, joined by dots (`order.item.@id`).
import { SaxesParser } from "saxes";
import { countStep } from "../time-limit.ts";
import { UndecodableError, ValueList, decodeText, encodingOf, joinNames } from "./named-values.ts";

const MAX_DEPTH = 64;

/** Prefixes of namespaces are the writer's choice. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** The encoding that the XML declaration names, which has to be the first thing. */
const DECLARED = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/;
const MAX_DECLARATION = 256;

function declaredEncoding(bytes: Uint8Array): string | undefined {
  return DECLARED.exec(Buffer.from(bytes.subarray(0, MAX_DECLARATION)).toString("latin1"))?.[1];
}

/**
 * Throws an `UndecodableError` when the bytes are not well-formed, say different encodings, or have a document type, which may define
 * entities.
 */
export function readXml(bytes: Uint8Array, charset = declaredEncoding(bytes) ?? "utf-8"): ValueList {
  const values = new ValueList();
  const open: string[] = [];
  // Applications join the texts before and after a comment, an instruction and a CDATA section.
  let text = "";
  const parser = new SaxesParser({ xmlns: false, position: false });
  const endText = () => {
    const trimmed = text.trim();
    if (trimmed !== "") values.add(open.at(-1) ?? "", trimmed);
    text = "";
  };
  const addText = (more: string) => void (text += more);
  parser.on("error", () => {
    throw new UndecodableError("no XML");
  });
  parser.on("doctype", () => {
    throw new UndecodableError("a document type");
  });
  parser.on("xmldecl", ({ encoding }) => {
    if (encoding !== undefined && encodingOf(encoding) !== encodingOf(charset)) {
      throw new UndecodableError("two encodings");
    }
  });
  parser.on("opentag", ({ name, attributes }) => {
    countStep();
    endText();
    if (open.length >= MAX_DEPTH) throw new UndecodableError("nested too deeply");
    const path = joinNames(open.at(-1), localName(name));
    open.push(path);
    for (const [key, value] of Object.entries(attributes)) values.add(`${path}.@${localName(key)}`, value);
  });
  parser.on("closetag", () => {
    endText();
    open.pop();
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.write(decodeText(bytes, charset)).close();
  return values;
}
