// Values of multipart/form-data (RFC 7578), read strictly: of each field its text, of each file its name (`NAME.filename`) and, if it
// is text, what it holds. Some applications read every other multipart type in the same way.
import { fieldNames, hasOtherNames } from "./field-names.ts";
import { readForm } from "./form-values.ts";
import { readJson } from "./json-values.ts";
import { isJson, isXml, parseMediaType } from "./media-type.ts";
import type { MediaType } from "./media-type.ts";
import { UndecodableError, ValueList, addField, decodeText, encodingOf, joinNames } from "./named-values.ts";
import { readXml } from "./xml-values.ts";

/** RFC 2046, 5.1.1. */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
const MAX_PARTS = 1_000;
const HEADER = /^([\w-]+):([^\r\n]*)$/;
const DISPOSITION = /^form-data((?:;[ \t]*[\w*-]+=(?:"(?:[^"\\\r\n]|\\.)*"|[^\s;"]+))+)[ \t]*$/i;
const PARAMETER = /;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g;
/** Encodings that leave the content as it is. */
const PLAIN = new Set(["7bit", "8bit", "binary"]);

interface PartHead {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: MediaType;
}

function refuse(reason: string): never {
  throw new UndecodableError(reason);
}

function parseHead(text: string): PartHead {
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n")) {
    const [, name = "", value = ""] = HEADER.exec(line) ?? refuse("a part has a header that cannot be read");
    if (headers.has(name.toLowerCase())) refuse("a part has a header twice");
    headers.set(name.toLowerCase(), value.trim());
  }
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (encoding !== undefined && !PLAIN.has(encoding)) refuse("a part is encoded (Content-Transfer-Encoding)");
  const [, written = ""] =
    DISPOSITION.exec(headers.get("content-disposition") ?? "") ??
    refuse("a part has no Content-Disposition: form-data");
  const parameters = new Map<string, string>();
  for (const [, key = "", quoted, plain = ""] of written.matchAll(PARAMETER)) {
    // `filename*` says the same in another encoding, and programs differ in which of the two they take.
    if (key.includes("*") || parameters.has(key.toLowerCase()))
      refuse("the name of a part or file can be read in two ways");
    parameters.set(key.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? plain);
  }
  return {
    name: parameters.get("name") ?? refuse("a part has no name"),
    filename: parameters.get("filename"),
    type: parseMediaType(headers.get("content-type") ?? ""),
  };
}

/** The names of a part. */
function namesOf(name: string): Iterable<string> {
  return hasOtherNames(name) ? fieldNames(name) : [name];
}

/** What a file holds; undefined: it is not text. */
function fileText(bytes: Uint8Array, charset: string | undefined): string | undefined {
  try {
    const text = decodeText(bytes, charset);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** What a part holds as its own type, at names below the part's. */
function addTyped(
  values: ValueList,
  name: string,
  { essence, parameters }: MediaType,
  content: Buffer,
  text: string,
): void {
  if (isJson(essence)) return readJson(text, values, name);
  let inner = new ValueList();
  if (essence === "application/x-www-form-urlencoded") readForm(text, inner);
  else if (isXml(essence)) inner = readXml(content, parameters.get("charset"));
  for (const [key, value] of inner.all) values.add(joinNames(name, key), value);
}

function addPart(values: ValueList, { name, filename, type }: PartHead, content: Buffer, outer: string): void {
  const { essence } = type;
  const charset = type.parameters.get("charset") ?? outer;
  encodingOf(charset);
  if (essence.startsWith("multipart/")) refuse("a part has parts itself");
  // For some programs one without a name is a field.
  const isFile = filename !== undefined && filename !== "";
  if (isFile) for (const one of namesOf(name)) values.add(`${one}.filename`, filename, one !== name);
  const text = isFile ? fileText(content, charset) : decodeText(content, charset);
  if (text === undefined) return;
  addField(values, name, text);
  try {
    addTyped(values, name, type, content, text);
  } catch (error) {
    // Drawings and documents often have a document type: of such a file the text alone is compared.
    if (!(isFile && isXml(essence) && error instanceof UndecodableError)) throw error;
  }
}

/** Throws an `UndecodableError` when the bytes are not exactly what the boundary says. */
export function readMultipart(body: Uint8Array, boundary: string | undefined, charset = "utf-8"): ValueList {
  if (boundary === undefined || !BOUNDARY.test(boundary)) refuse("its Content-Type has no boundary");
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const opening = `--${boundary}`;
  const delimiter = `\r\n${opening}`;
  const values = new ValueList();
  if (!bytes.subarray(0, opening.length).equals(Buffer.from(opening))) refuse("something stands before its first part");
  let at = opening.length;
  for (let parts = 0; ; parts++) {
    const next = bytes.toString("latin1", at, at + 2);
    if (next === "--") {
      const rest = bytes.toString("latin1", at + 2);
      return rest === "" || rest === "\r\n" ? values : refuse("something stands after its last part");
    }
    if (parts >= MAX_PARTS) refuse(`it has more than ${MAX_PARTS} parts`);
    if (next !== "\r\n") refuse("something stands behind a boundary");
    const headEnd = bytes.indexOf("\r\n\r\n", at);
    const end = headEnd < 0 ? -1 : bytes.indexOf(delimiter, headEnd + 2);
    // A delimiter right behind the headers ends the part for some programs alone.
    if (end < headEnd + 4) refuse("a part has no end");
    const head = parseHead(decodeText(bytes.subarray(at + 2, headEnd), charset));
    addPart(values, head, bytes.subarray(headEnd + 4, end), charset);
    at = end + delimiter.length;
  }
}
