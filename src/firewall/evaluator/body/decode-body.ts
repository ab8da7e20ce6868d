// Decodes the body of a request into the values that conditions compare, as docs/firewall.md specifies. A body that can be read in
// more than one way is not decoded at all: an application might read it the other way.
import { readForm } from "./form-values.ts";
import { BOM, isLatin, nameOrNone, textsOf } from "./charsets.ts";
import { readAnyJson, readJson } from "./json-values.ts";
import { FORM, isJson, isMultipart, isOctets, isXml, parseMediaType } from "./media-type.ts";
import type { MediaType } from "./media-type.ts";
import { UndecodableError, ValueList } from "./named-values.ts";
import type { NamedValue } from "./named-values.ts";
import { readMultipart } from "./multipart-values.ts";
import { mayBeXml, readXml, readXmlText } from "./xml-values.ts";

/** Why a body has no values. */
export interface BodyProblem {
  /** It is not what its headers say, or it holds a NUL, which programs read differently. */
  readonly kind: "undecodable" | "nul";
  /** What was found, for people: `it is not JSON`. */
  readonly found: string;
}

export interface DecodedBody {
  readonly values: readonly NamedValue[];
  readonly problem: BodyProblem | null;
}

export interface BodyHeaders {
  /** The header `Content-Type`; a list if it was sent several times. */
  readonly contentType: string | readonly string[] | undefined;
  /** The header `Content-Encoding`, likewise. */
  readonly contentEncoding: string | readonly string[] | undefined;
}

export const NO_BODY: DecodedBody = { values: [], problem: null };
/** Of a body that is there and that nobody has read. */
export const UNREAD_BODY: DecodedBody = { values: [], problem: { kind: "undecodable", found: "it was not read" } };
const HOLDS_NUL: DecodedBody = { values: [], problem: { kind: "nul", found: "a name or a value holds NUL" } };

function undecodable(found: string): DecodedBody {
  return { values: [], problem: { kind: "undecodable", found } };
}

/** What an application may take for a document that it parses by itself. */
function readDocument(text: string, bytes: Uint8Array, charset: string | undefined, values: ValueList): void {
  if (!mayBeXml(text)) return readAnyJson(text, values);
  // Each text of a charset is a document of its own, and one that says nothing of it is in the one that it declares.
  const plain = text.startsWith(BOM) ? text.slice(1) : text;
  values.addAll(charset === undefined ? readXml(bytes) : readXmlText(plain, charset));
}

/** Some applications read every body as JSON, XML or a form, whatever type it has. */
function readText({ essence, parameters }: MediaType, text: string, bytes: Uint8Array): ValueList {
  const charset = parameters.get("charset");
  const values = new ValueList();
  if (isJson(essence)) {
    readJson(text, values);
    return values;
  }
  if (essence === FORM) readForm(text, values, { isLatin: isLatin(charset), splitsSemicolons: true });
  else {
    values.add("", text);
    if (isOctets(essence)) values.add("file", text, true);
    values.keepsLongNames = essence !== "";
    if (text.includes("=")) readForm(text, values);
  }
  readDocument(text, bytes, charset, values);
  return values;
}

function readValues(type: MediaType, bytes: Uint8Array): ValueList {
  const charset = type.parameters.get("charset");
  if (isMultipart(type)) return readMultipart(bytes, type.parameters.get("boundary"), charset);
  if (isXml(type.essence)) return readXml(bytes, charset);
  const [first, ...others] = textsOf(bytes, charset);
  const values = readText(type, first, bytes);
  for (const text of others)
    if (!isJson(type.essence) || !text.startsWith(BOM)) values.addReading(readText(type, text, bytes));
  return values;
}

const encoder = new TextEncoder();

/** How a NUL is written in bytes, JSON and forms; XML has none. To look at the values takes much longer. */
const WRITTEN_NULS = ["\0", String.raw`\u0000`, "%00"];

function mayHoldNul({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return WRITTEN_NULS.some((written) => bytes.includes(written));
}

/** Takes time linear in the body. A text stands for its bytes in UTF-8. */
export function decodeBody({ contentType, contentEncoding }: BodyHeaders, body: string | Uint8Array): DecodedBody {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  if (bytes.length === 0) return NO_BODY;
  const types = [contentType ?? []].flat();
  const encodings = [contentEncoding ?? []].flat();
  // Programs differ in which of two types they take.
  if (types.length > 1) return undecodable("Content-Type was sent more than once");
  const encoding = encodings.find((one) => one.trim().toLowerCase() !== "identity");
  if (encoding !== undefined) return undecodable(`its Content-Encoding is ${nameOrNone(encoding.trim())}`);
  try {
    const values = readValues(parseMediaType(types[0] ?? ""), bytes).all;
    return mayHoldNul(bytes) && values.some(([name, value]) => name.includes("\0") || value.includes("\0"))
      ? HOLDS_NUL
      : { values, problem: null };
  } catch (error) {
    if (error instanceof UndecodableError) return undecodable(error.message);
    throw error;
  }
}
