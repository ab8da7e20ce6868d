// Decodes %XX. Where it encodes no UTF-8, applications differ in what they make of it.
import { countCharacters } from "../time-limit.ts";

const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });
const WINDOWS = new TextDecoder("windows-1252");
export const PERCENT = 0x25;
/** Far below the number of arguments that a function takes. */
const MAX_ARGUMENTS = 64;

/** The value of a hexadecimal digit; -1 for any other code unit. */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** The byte that `%XX` at `at` encodes; -1: no escape is there. */
function escapedByte(text: string, at: number): number {
  if (text.charCodeAt(at) !== PERCENT) return -1;
  const high = hexValue(text.charCodeAt(at + 1));
  const low = hexValue(text.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** What a run of escapes encodes. `isAscii` means that all of its bytes are. */
type DecodeRun = (bytes: readonly number[], isAscii: boolean, text: string, from: number, to: number) => string;

const asUtf8: DecodeRun = (bytes, isAscii) =>
  isAscii && bytes.length <= MAX_ARGUMENTS ? String.fromCharCode(...bytes) : UTF8.decode(Uint8Array.from(bytes));

function decodeRuns(text: string, decode: DecodeRun): string {
  let at = text.indexOf("%");
  if (at < 0) return text;
  let decoded = "";
  let from = 0;
  while (at >= 0) {
    let byte = escapedByte(text, at);
    if (byte < 0) {
      at = text.indexOf("%", at + 1);
      countCharacters(1);
      continue;
    }
    const start = at;
    const bytes: number[] = [];
    let isAscii = true;
    for (; byte >= 0; byte = escapedByte(text, at)) {
      bytes.push(byte);
      if (byte >= 0x80) isAscii = false;
      at += 3;
    }
    countCharacters(at - start);
    decoded += text.slice(from, start) + decode(bytes, isAscii, text, start, at);
    from = at;
    at = text.indexOf("%", at);
  }
  return decoded + text.slice(from);
}

/** Decodes every run of `%XX` once, as UTF-8. Invalid UTF-8 becomes U+FFFD. */
export function decodePercent(text: string): string {
  return decodeRuns(text, asUtf8);
}

/** The same for a text whose escapes are all of ASCII, as most are: everybody decodes it alike. Undefined: it is another. */
export function decodeAscii(text: string): string | undefined {
  let at = text.indexOf("%");
  if (at < 0) return text;
  let decoded = "";
  let from = 0;
  for (; at >= 0; at = text.indexOf("%", from)) {
    const byte = escapedByte(text, at);
    if (byte < 0 || byte >= 0x80) return undefined;
    decoded += text.slice(from, at) + String.fromCharCode(byte);
    from = at + 3;
    countCharacters(3);
  }
  return decoded + text.slice(from);
}

const REPLACEMENT = "\ufffd";
/** Fails where an escape is none, or encodes the replacement character. */
const INCOMPLETE = /%(?![\dA-Fa-f]{2})/;
const BEYOND_LATIN = /[^\0-\xFF]/;
const HIGH = /%[89A-Fa-f][\dA-Fa-f]/;

/** Bytes that were escaped in part: PHP puts them together. */
function bytesAsUtf8(text: string): string {
  return BEYOND_LATIN.test(text) ? text : Buffer.from(text, "latin1").toString("utf8");
}

/** What applications make of a text that not all of them can decode: each way at its own place. */
function waysToDecode(text: string, utf8: string): readonly string[] {
  const latin = decodeRuns(text, (bytes) => Buffer.from(bytes).toString("latin1"));
  return [
    utf8,
    text,
    // Each run that is valid.
    decodeRuns(text, (bytes, isAscii, whole, from, to) => {
      const decoded = asUtf8(bytes, isAscii, whole, from, to);
      return decoded.includes(REPLACEMENT) ? whole.slice(from, to) : decoded;
    }),
    latin,
    decodeRuns(text, (bytes) => WINDOWS.decode(Uint8Array.from(bytes))),
    bytesAsUtf8(latin),
  ];
}

/** Whether applications differ in what they make of a text, which `decodePercent` has decoded. `isLatin`: it says another charset. */
function isAmbiguous(text: string, decoded: string, isLatin = false): boolean {
  if (decoded === text) return false;
  const isIncomplete = decoded.includes("%") && INCOMPLETE.test(text);
  return isIncomplete || decoded.includes(REPLACEMENT) || (isLatin && HIGH.test(text));
}

/** How applications decode a text: in one way as a rule. */
export function decodings(text: string, isLatin = false): readonly string[] {
  const decoded = decodePercent(text);
  countCharacters(text.length);
  return isAmbiguous(text, decoded, isLatin) ? waysToDecode(text, decoded) : [decoded];
}
