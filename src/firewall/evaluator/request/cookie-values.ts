// Values of cookies, in each way in which applications read them (docs/firewall.md).
import { fieldNames, hasOtherNames } from "../body/field-names.ts";
import { countStep } from "../time-limit.ts";
import { decodings } from "./percent.ts";
import { trimAll, trimBlanks, trimBlanksStart } from "./trim.ts";

/** Takes a cookie. */
type Add = (name: string, value: string) => void;

/** Within quotes: a byte in octal digits, or a character as it is. */
const ESCAPED = /\\(?:([0-3][0-7]{2})|([^]))/g;

function unescape(text: string): string {
  return text.replaceAll(ESCAPED, (_, octal?: string, character?: string) => {
    countStep();
    return octal === undefined ? (character ?? "") : String.fromCharCode(Number.parseInt(octal, 8));
  });
}

/** A value without these is read in one way. */
const UNUSUAL_VALUE = /[%"+]/;

/** As it was sent; decoded, also with spaces for plus signs; without quotes; and in quotes as applications in Python read it. */
function addValues(values: Set<string>, sent: string): void {
  values.add(sent);
  if (!UNUSUAL_VALUE.test(sent)) return;
  for (const one of decodings(sent)) values.add(one);
  if (sent.includes("+")) for (const one of decodings(sent.replaceAll("+", " "))) values.add(one);
  if (sent.length < 2 || !sent.startsWith('"') || !sent.endsWith('"')) return;
  const inner = sent.slice(1, -1);
  values.add(inner);
  for (const one of decodings(inner)) values.add(one);
  if (inner.includes("\\")) values.add(unescape(inner));
}

/** Most cookies are as plain as these, and read in one way. */
const PLAIN = /^ ?[\w-]+=[\w.~:/-]*$/;

function addCookie(add: Add, piece: string): void {
  const at = piece.indexOf("=");
  if (PLAIN.test(piece)) return add(piece.slice(piece.startsWith(" ") ? 1 : 0, at), piece.slice(at + 1));
  const sentName = at < 0 ? piece : piece.slice(0, at);
  const sentValue = at < 0 ? "" : piece.slice(at + 1);
  const [name, value] = [trimBlanks(sentName), trimBlanks(sentValue)];
  if (at < 0 && name === "") return;
  const sentNames = new Set([name, trimAll(name), trimBlanksStart(sentName), ...decodings(name)]);
  const names = new Set(Array.from(sentNames, (one) => (hasOtherNames(one) ? [...fieldNames(one)] : one)).flat());
  const values = new Set<string>();
  for (const one of new Set([value, trimAll(value), sentValue])) addValues(values, one);
  for (const each of names) for (const one of values) add(each, one);
  // For some applications it is a value without a name.
  if (at < 0) for (const one of new Set([name, trimAll(name)])) add("", one);
}

/** Calls `add` for each cookie of a `Cookie` header, at all of its names. */
export function readCookies(header: string, add: Add): void {
  for (const piece of header.split(";")) {
    countStep();
    addCookie(add, piece);
  }
}
