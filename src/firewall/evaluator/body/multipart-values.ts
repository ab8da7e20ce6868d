// Values of multipart/form-data (RFC 7578), read strictly: of each field its text, of each file its name (`NAME.filename`) and, if it
// is text, what it holds. Some applications read every other multipart type in the same way.
import { textReadings } from "../request/text-readings.ts";
import { countCharacters } from "../time-limit.ts";
import { BOM, decodeUtf8, encodingOf, isLatin, textsOf } from "./charsets.ts";
import { fieldNames, hasOtherNames } from "./field-names.ts";
import { fileNames, unescapeQuotes } from "./file-names.ts";
import { readForm } from "./form-values.ts";
import { readJson } from "./json-values.ts";
import { FORM, isJson, isXml } from "./media-type.ts";
import type { MediaType } from "./media-type.ts";
import { UndecodableError, ValueList, joinNames } from "./named-values.ts";
import { parsePartHead } from "./part-head.ts";
import type { PartHead } from "./part-head.ts";
import { readXml } from "./xml-values.ts";

const MAX_PARTS = 1_000;
/** As much as a whole request may have. */
const MAX_HEAD = 16_384;
const UNTYPED: MediaType = { essence: "", parameters: new Map() };

function refuse(reason: string): never {
  throw new UndecodableError(reason);
}

/** The names of a part: multer reads escapes of browsers back, Django drops white space, and some read bytes as Latin-1. */
function namesOf(sent: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const text of textReadings(sent)) {
    for (const one of new Set([text, unescapeQuotes(text), text.trim()])) {
      if (hasOtherNames(one)) for (const other of fieldNames(one)) names.add(other);
      else names.add(one);
    }
  }
  return names;
}

function addAll(values: ValueList, names: Iterable<string>, texts: Iterable<string>): void {
  let isOther = false;
  for (const text of texts) {
    for (const name of names) {
      values.add(name, text, isOther);
      isOther = true;
    }
  }
}

/** What a file holds; nothing if that is no text. */
function fileTexts(bytes: Buffer, charset: string | undefined): readonly string[] {
  if (bytes.includes(0)) return [];
  try {
    return textsOf(bytes, charset);
  } catch {
    return [];
  }
}

/** What a part holds as its own type, at names below the part's. */
function addTyped(values: ValueList, name: string, type: MediaType, content: Buffer, text: string): void {
  const { essence, parameters } = type;
  let inner = new ValueList();
  if (isJson(essence)) {
    // No parser of JSON takes the mark.
    if (text === "" || text.startsWith(BOM)) return;
    readJson(text, inner, name);
    return values.addAll(inner);
  }
  if (essence === FORM) readForm(text, inner);
  else if (isXml(essence)) inner = readXml(content, parameters.get("charset"));
  for (const [key, value] of inner.all) values.add(joinNames(name, key), value);
}

function addFile(values: ValueList, names: ReadonlySet<string>, filenames: readonly string[]): void {
  const files = new Set(filenames.flatMap((one) => [...fileNames(one)]));
  addAll(
    values,
    Array.from(names, (name) => `${name}.filename`),
    files,
  );
}

function addPart(values: ValueList, head: PartHead, content: Buffer, outer: string): void {
  const { name, filename, otherFilenames, type } = head;
  const charset = type?.parameters.get("charset") ?? outer;
  encodingOf(charset);
  const names = namesOf(name);
  // For some programs one without a name is a field.
  const isFile = filename !== undefined && filename !== "";
  if (isFile) addFile(values, names, [filename, ...otherFilenames]);
  let texts = isFile ? fileTexts(content, charset) : textsOf(content, charset);
  // Formidable takes a file without a type for a field, whatever bytes it has.
  if (texts.length === 0 && type === undefined) texts = [content.toString("utf8").replaceAll("\0", "\uFFFD")];
  if (texts.length === 0) return;
  addAll(values, names, texts);
  try {
    for (const text of texts) addTyped(values, name, type ?? UNTYPED, content, text);
  } catch (error) {
    // Drawings and documents often have a document type, and settings have comments: of such a file the text alone is compared.
    const isDocument = type && (isXml(type.essence) || isJson(type.essence));
    if (!(isFile && isDocument && error instanceof UndecodableError)) throw error;
  }
}

/** Throws an `UndecodableError` when the bytes are not exactly what the boundary says. */
export function readMultipart(body: Uint8Array, boundary: string | undefined, charset = "utf-8"): ValueList {
  if (boundary === undefined) refuse("its Content-Type has no boundary");
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const opening = Buffer.from(`--${boundary}`);
  const values = new ValueList();
  // Every application skips an empty line; of other texts Django reads fields.
  const start = bytes.toString("latin1", 0, 2) === "\r\n" ? 2 : 0;
  let at = start + opening.length;
  if (!bytes.subarray(start, at).equals(opening)) refuse("something stands before its first part");
  for (let parts = 0; ; parts++) {
    const next = bytes.toString("latin1", at, at + 2);
    if (next === "--") {
      const rest = bytes.toString("latin1", at + 2);
      return /^(?:\r\n){0,2}$/.test(rest) ? values : refuse("something stands after its last part");
    }
    if (parts >= MAX_PARTS) refuse(`it has more than ${MAX_PARTS} parts`);
    if (next !== "\r\n") refuse("something stands behind a boundary");
    const headEnd = bytes.indexOf("\r\n\r\n", at);
    // Some programs end a part at a boundary within a line.
    const end = bytes.indexOf(opening, at) - 2;
    // A delimiter right behind the headers ends the part for some programs alone.
    if (headEnd < 0 || end < headEnd + 4) refuse("a part has no end");
    if (bytes.toString("latin1", end, end + 2) !== "\r\n") refuse("a boundary is within a part");
    if (headEnd - at > MAX_HEAD) refuse(`a part has a head of more than ${MAX_HEAD} bytes`);
    const head = bytes.subarray(at + 2, headEnd);
    countCharacters(head.length);
    if (!isLatin(charset) && decodeUtf8(head) === undefined) refuse("it is not utf-8");
    addPart(values, parsePartHead(head.toString("latin1")), bytes.subarray(headEnd + 4, end), charset);
    at = end + 2 + opening.length;
  }
}
