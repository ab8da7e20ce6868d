// The texts of bytes in the charset that a body says. Some applications ignore it, so a body may have several readings.
import { countCharacters } from "../time-limit.ts";
import { UndecodableError } from "./named-values.ts";

/** Those of the Encoding Standard that every letter of ASCII is itself in; UTF-16 and UTF-7 hide what is written. */
const CHARSETS: Readonly<Record<string, "utf-8" | "us-ascii" | "windows-1252">> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "us-ascii",
  ascii: "us-ascii",
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
  "windows-1252": "windows-1252",
};

/** What names of charsets and encodings look like. Messages repeat nothing else of what a client wrote. */
const NAME = /^[\w.:+-]{1,40}$/;

export function nameOrNone(text: string): string {
  return NAME.test(text) ? text : "no name of one";
}

/** The encoding of a charset; different names may mean the same. */
export function encodingOf(charset: string): string {
  const name = charset.toLowerCase();
  if (!Object.hasOwn(CHARSETS, name))
    throw new UndecodableError(`its charset is ${nameOrNone(charset)}, which is not read`);
  return CHARSETS[name] as string;
}

/** Whether it is another charset than UTF-8, in which bytes beyond ASCII are other characters. */
export function isLatin(charset = "utf-8"): boolean {
  return encodingOf(charset) === "windows-1252";
}

const BEYOND_ASCII = /[^\0-\x7F]/;

export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export const BOM = "\uFEFF";

/** The readings of bytes, that of the charset first: with and without a byte order mark; as Latin-1, and as UTF-8 where they are. */
export function textsOf(bytes: Uint8Array, charset = "utf-8"): readonly [string, ...string[]] {
  const encoding = encodingOf(charset);
  const utf8 = decodeUtf8(bytes);
  countCharacters(bytes.length);
  if (encoding !== "windows-1252") {
    if (utf8 === undefined || (encoding === "us-ascii" && BEYOND_ASCII.test(utf8)))
      throw new UndecodableError(`it is not ${encoding}`);
    return utf8.startsWith(BOM) ? [utf8.slice(1), utf8] : [utf8];
  }
  const windows = new TextDecoder(encoding).decode(bytes);
  if (!BEYOND_ASCII.test(windows)) return [windows];
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const others = [latin, utf8].filter((text) => text !== undefined && text !== windows) as string[];
  return [windows, ...others];
}
