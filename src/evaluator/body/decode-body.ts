// Decodes the body of a request into the values that conditions compare, as docs/firewall.md specifies. A body that can be read in
// more than one way is not decoded at all: an application might read it the other way.
import { readForm } from "./form-values.ts";
import { readJson, readJsonLines } from "./json-values.ts";
import { isJson, isXml, parseMediaType } from "./media-type.ts";
import type { MediaType } from "./media-type.ts";
import { UndecodableError, ValueList, decodeText, nameOrNone } from "./named-values.ts";
import type { NamedValue } from "./named-values.ts";
import { readMultipart } from "./multipart-values.ts";
import { readXml } from "./xml-values.ts";

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
const HOLDS_NUL: DecodedBody = { values: [], problem: { kind: "nul", found: "a name or a value holds NUL" } };

function undecodable(found: string): DecodedBody {
  return { values: [], problem: { kind: "undecodable", found } };
}

/** Some applications read every body as JSON or as a form, whatever type it has. */
function readUntyped(text: string): ValueList {
  const values = new ValueList();
  values.add("", text);
  if (!readJsonLines(text, values) && text.includes("=")) readForm(text, values);
  return values;
}

function readValues({ essence, parameters }: MediaType, bytes: Uint8Array): ValueList {
  const charset = parameters.get("charset");
  if (essence.startsWith("multipart/")) return readMultipart(bytes, parameters.get("boundary"), charset);
  if (isXml(essence)) return readXml(bytes, charset);
  const text = decodeText(bytes, charset);
  const values = new ValueList();
  if (isJson(essence)) readJson(text, values);
  else if (essence !== "application/x-www-form-urlencoded") return readUntyped(text);
  else {
    readForm(text, values);
    // Programs that send JSON without saying so often say this type.
    readJsonLines(text, values);
  }
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
