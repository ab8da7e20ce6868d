// Reads the head of a part of multipart/form-data as strictly as browsers and clients write it. Whatever else applications read in different
// ways: they differ in escapes, in parameters, and in where they look for a name.
import { isMultipart, parseMediaType } from "./media-type.ts";
import type { MediaType } from "./media-type.ts";
import { UndecodableError } from "./named-values.ts";
import { textReadings } from "../request/text-readings.ts";

const HEADER = /^([A-Za-z0-9-]+):([\t -~\u0080-\uFFFF]*)$/;
/** No other escape than that of a quote. */
const QUOTED = String.raw`"(?:[^"\\]|\\")*"`;
const PLAIN = String.raw`[\w!#$%&*+.^\x60|~-]`;
/** PHP takes an apostrophe in front for a quote. */
const TOKEN = `${PLAIN}(?:${PLAIN}|')*`;
/** PHP takes an apostrophe in a name for the begin of a quotation, which hides the name of a file. */
const DISPOSITION = new RegExp(
  `^form-data;[ \\t]*name=(${QUOTED}|${PLAIN}+|${TOKEN}$)` +
    `(?:;[ \\t]*filename=(?=(\\S+))(${QUOTED}|${TOKEN})(?:;[ \\t]*filename\\*=((?:${PLAIN}|')+))?)?$`,
  "i",
);
/** Rack looks for these anywhere in a head. */
const NAMES = /content-(?:disposition|type|id)[ \t]*:/gi;
/** Rack takes the last name that looks like a parameter, in quotes as well. */
const PARAMETER_WITHIN = /;[ \t]*(?:file)?name\*?[ \t]*=/i;
/** Rack looks for the name of a file in every header. */
const NAME_ELSEWHERE = /\b(?:file)?name[*\d]*[ \t]*=/gi;
/** Django reads names of characters in names of files. */
const ENTITY = /&[A-Za-z][A-Za-z0-9]*;/;
/** RFC 8187, 3.2.1, without a language, which some take for a part of the name. */
const EXTENDED = /^(utf-8|iso-8859-1)''((?:[\w!#$&+.^`|~-]|%[\dA-Fa-f]{2})*)$/i;
/** RFC 2047, as .NET writes names. */
const ENCODED_WORD = /^=\?utf-8\?B\?([A-Za-z0-9+/=]+)\?=$/i;
/** Encodings that leave the content as it is. */
const PLAIN_ENCODINGS = new Set(["7bit", "8bit", "binary"]);

export interface PartHead {
  readonly name: string;
  /** In quotes, a quote has a backslash before it. */
  readonly filename: string | undefined;
  /** What some applications read instead. */
  readonly otherFilenames: readonly string[];
  /** Undefined without a Content-Type. */
  readonly type: MediaType | undefined;
}

function refuse(reason: string): never {
  throw new UndecodableError(reason);
}

const TWO_WAYS = "the name of a part or file can be read in two ways";

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  const inner = text.slice(1, -1);
  const isOdd = PARAMETER_WITHIN.test(inner) || (inner.includes("\\") && inner.includes(";"));
  return isOdd ? refuse(TWO_WAYS) : inner;
}

function readExtended(text: string): string {
  const [, charset = "", value = ""] = EXTENDED.exec(text) ?? refuse(TWO_WAYS);
  const bytes = Buffer.from(value.replaceAll(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))), "latin1"); // prettier-ignore
  return bytes.toString(charset.toLowerCase() === "utf-8" ? "utf8" : "latin1");
}

/** `filename*` must say what `filename` says. */
function checkExtended(filename: string, extended: string): void {
  const [, word] = ENCODED_WORD.exec(filename) ?? [];
  const plain = word === undefined ? filename.replaceAll('\\"', '"') : Buffer.from(word, "base64").toString("utf8");
  if (plain !== extended && !textReadings(plain).includes(extended)) refuse("the names of a file differ");
}

function parseHeaders(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split("\r\n")) {
    const [, name = "", value = ""] = HEADER.exec(line) ?? refuse("a part has a header that cannot be read");
    if (headers.has(name.toLowerCase())) refuse("a part has a header twice");
    headers.set(name.toLowerCase(), value.trim());
  }
  const known = ["content-disposition", "content-type", "content-id"].filter((name) => headers.has(name)).length;
  if ((text.match(NAMES) ?? []).length > known) refuse("a part has a header within another");
  return headers;
}

/** Only a Content-Type may repeat the name of the file. */
function checkOtherHeaders(headers: ReadonlyMap<string, string>, filename = "", type?: MediaType): void {
  const typeName = type?.parameters.get("name");
  for (const [header, value] of headers) {
    if (header === "content-disposition") continue;
    const isRepeated = header === "content-type" && typeName === filename.replaceAll('\\"', '"');
    if ((value.match(NAME_ELSEWHERE) ?? []).length > (isRepeated ? 1 : 0)) refuse(TWO_WAYS);
  }
}

export function parsePartHead(text: string): PartHead {
  const headers = parseHeaders(text);
  const contentType = headers.get("content-type");
  const encoding = headers.get("content-transfer-encoding")?.toLowerCase();
  // An application with formidable ends at an encoding without a type.
  if (encoding !== undefined && (!PLAIN_ENCODINGS.has(encoding) || contentType === undefined))
    refuse("a part is encoded (Content-Transfer-Encoding)");
  const disposition = headers.get("content-disposition");
  if (disposition === undefined || !/^form-data\s*(?:;|$)/i.test(disposition)) refuse("a part has no Content-Disposition: form-data"); // prettier-ignore
  if (!/;[ \t]*name=/i.test(disposition)) refuse("a part has no name");
  const [, written = "", word = "", file, star] = DISPOSITION.exec(disposition) ?? refuse(TWO_WAYS);
  const name = unquote(written);
  if (name === "") refuse("a part has no name");
  // Some read a backslash in a name as it is.
  if (name.includes("\\")) refuse(TWO_WAYS);
  const filename = file === undefined ? undefined : unquote(file);
  if (filename !== undefined && ENTITY.test(filename)) refuse(TWO_WAYS);
  const otherFilenames = star === undefined ? [] : [readExtended(star)];
  for (const one of otherFilenames) checkExtended(filename ?? "", one);
  // PHP reads a text without quotes up to white space, if an apostrophe in it hides the semicolon.
  if (filename === file && filename?.includes("'")) otherFilenames.push(word);
  const type = contentType === undefined ? undefined : parseMediaType(contentType);
  if (type && isMultipart(type)) refuse("a part has parts itself");
  checkOtherHeaders(headers, filename, type);
  return { name, filename, otherFilenames, type };
}
