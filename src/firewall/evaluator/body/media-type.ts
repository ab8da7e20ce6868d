// Reads media types, such as that of the header `Content-Type`.
import { UndecodableError } from "./named-values.ts";

export interface MediaType {
  /** `type/subtype`, in lower case. */
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export const FORM = "application/x-www-form-urlencoded";

/** Those of applications are shorter, and the time to read one may grow with the square of its length. */
const MAX_LENGTH = 512;

/** Clients send nothing else, and programs differ in how they read the rest. */
const MULTIPART =
  /^multipart\/[\w.+-]+(?:;[ \t]*(?:charset=(?:"[\w.:+-]*"|[\w.:+-]+)|boundary=(?:[\w!#$%&*+.^`|~-]{1,70}|"(?!')[\w!#$%&'()*+./:=?^`|~-]{1,70}")))*$/i;
const PRINTABLE = /^[\t -~]*$/;
const TOKEN = /^[\w!#$%&'*+.^`|~/-]+$/;
const QUOTED = /"(?:[^"\\]|\\.)*"/g;

function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, "$1") : text;
}

function refuse(): never {
  throw new UndecodableError("a Content-Type is not a media type, or has a parameter twice");
}

/** Expects the form of RFC 9110, 8.3.1. The same parameter twice is two ways to read it. */
export function parseMediaType(text: string): MediaType {
  if (text.length > MAX_LENGTH) throw new UndecodableError(`a Content-Type has more than ${MAX_LENGTH} characters`);
  if (!PRINTABLE.test(text) || text.replaceAll(QUOTED, "").includes('"')) refuse();
  const parts = (text.match(/(?:[^;"]|"(?:[^"\\]|\\.)*")+/g) ?? []).map((part) => part.trim());
  // What stands before the first semicolon, which may be nothing.
  const essence = text.startsWith(";") ? "" : (parts.shift() ?? "").toLowerCase();
  const parameters = new Map<string, string>();
  for (const part of parts.filter((one) => one !== "")) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(0, at)).trim().toLowerCase();
    // Some programs take `charset*` for a charset.
    if (!TOKEN.test(name) || name.includes("*") || parameters.has(name)) refuse();
    parameters.set(name, unquote(part.slice(at + 1).trim()));
  }
  if (essence !== "" && !TOKEN.test(essence)) refuse();
  const type = { essence, parameters };
  // PHP and Rack look for the first "boundary", and formidable for "multipart", wherever it is.
  const isPlain = isMultipart(type) ? MULTIPART.test(text) && !essence.includes("boundary") : !/multipart/i.test(text);
  if (!isPlain) throw new UndecodableError("a multipart Content-Type has more than a plain boundary and a charset");
  // It looks for these in the same way.
  const named = text.match(/urlencoded|octet-stream/gi)?.length ?? 0;
  if (named > (essence === FORM || isOctets(essence) ? 1 : 0))
    throw new UndecodableError("a Content-Type names a form or octets within another type");
  return type;
}

/** Bytes of no type: a file for formidable. */
export function isOctets(essence: string): boolean {
  return /^application\/.*octet-stream/.test(essence) && !isJson(essence) && !isXml(essence);
}

export function isMultipart({ essence }: Pick<MediaType, "essence">): boolean {
  return essence.startsWith("multipart/");
}

export function isJson(essence: string): boolean {
  return essence === "application/json" || essence === "text/json" || essence.endsWith("+json");
}

export function isXml(essence: string): boolean {
  return essence === "application/xml" || essence === "text/xml" || essence.endsWith("+xml");
}
