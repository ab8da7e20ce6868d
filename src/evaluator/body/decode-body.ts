// Decodes the body of a request into the values that conditions compare, as docs/firewall.md specifies. A body that can be read in
// more than one way is not decoded at all: an application might read it the other way.
import { readForm } from "./form-values.ts";
import { readJson } from "./json-values.ts";
import { UndecodableError, decodeText } from "./named-values.ts";
import type { NamedValue } from "./named-values.ts";
import { readMultipart } from "./multipart-values.ts";
import { readXml } from "./xml-values.ts";

/** Why a body has no values: it is not what its headers say, or it holds a NUL, which programs read differently. */
export type BodyProblem = "undecodable" | "nul";

export interface DecodedBody {
  readonly values: readonly NamedValue[];
  readonly problem: BodyProblem | null;
}

export interface BodyHeaders {
  /** The header `Content-Type`. */
  readonly contentType: string | undefined;
  /** The header `Content-Encoding`. */
  readonly contentEncoding: string | undefined;
}

export const NO_BODY: DecodedBody = { values: [], problem: null };
const UNDECODABLE: DecodedBody = { values: [], problem: "undecodable" };
const HOLDS_NUL: DecodedBody = { values: [], problem: "nul" };

interface MediaType {
  /** `type/subtype`, in lower case. */
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = /^[\w!#$%&'*+.^`|~/-]+$/;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1") : text;
}

/** Expects the form of RFC 9110, 8.3.1. The same parameter twice is two ways to read it. */
function parseMediaType(text: string): MediaType {
  if (text.replaceAll(QUOTED, "").includes('"')) throw new UndecodableError("the media type");
  const parts = (text.match(/(?:[^;"]|"(?:[^"\\]|\\.)*")+/g) ?? []).map((part) => part.trim());
  // What stands before the first semicolon, which may be nothing.
  const essence = text.startsWith(";") ? "" : (parts.shift() ?? "").toLowerCase();
  const parameters = new Map<string, string>();
  for (const part of parts.filter((one) => one !== "")) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(0, at)).trim().toLowerCase();
    if (!TOKEN.test(name) || parameters.has(name)) throw new UndecodableError("the media type");
    parameters.set(name, unquote(part.slice(at + 1).trim()));
  }
  if (essence !== "" && !TOKEN.test(essence)) throw new UndecodableError("the media type");
  return { essence, parameters };
}

function isJson(essence: string): boolean {
  return essence === "application/json" || essence === "text/json" || essence.endsWith("+json");
}

function isXml(essence: string): boolean {
  return essence === "application/xml" || essence === "text/xml" || essence.endsWith("+xml");
}

function readValues({ essence, parameters }: MediaType, bytes: Uint8Array): readonly NamedValue[] {
  if (essence === "multipart/form-data") return readMultipart(bytes, parameters.get("boundary"));
  const text = decodeText(bytes, parameters.get("charset"));
  if (isJson(essence)) return readJson(text);
  if (essence === "application/x-www-form-urlencoded") return readForm(text);
  if (isXml(essence)) return readXml(text);
  return [["", text]];
}

const encoder = new TextEncoder();

/** Takes time linear in the body. A text stands for its bytes in UTF-8. */
export function decodeBody({ contentType, contentEncoding }: BodyHeaders, body: string | Uint8Array): DecodedBody {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  if (bytes.length === 0) return NO_BODY;
  if (contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== "identity") return UNDECODABLE;
  try {
    const values = readValues(parseMediaType(contentType ?? ""), bytes);
    return values.some(([name, value]) => name.includes("\0") || value.includes("\0"))
      ? HOLDS_NUL
      : { values, problem: null };
  } catch (error) {
    if (error instanceof UndecodableError) return UNDECODABLE;
    throw error;
  }
}
