// Values of application/x-www-form-urlencoded and of queries, in each way in which applications read them (docs/firewall.md).
import { decodeAscii, decodings } from "../request/percent.ts";
import { countCharacters, countStep } from "../time-limit.ts";
import { addField } from "./named-values.ts";
import type { Named } from "./named-values.ts";

/** How a text of fields is read where that is unusual. */
interface FormReading {
  /** The text says another charset than UTF-8. */
  readonly isLatin?: boolean;
  readonly splitsSemicolons?: boolean;
}

function addDecoded(values: Named, name: string, value: string, { isLatin = false }: FormReading): void {
  const plainName = decodeAscii(name);
  const plainValue = decodeAscii(value);
  if (plainName !== undefined && plainValue !== undefined) return addField(values, plainName, plainValue);
  const names = decodings(name, isLatin);
  const all = decodings(value, isLatin);
  const [first = "", ...others] = names;
  addField(values, first, all[0] as string);
  // An application decodes names and values in the same way.
  for (let at = 1; at < Math.max(others.length + 1, all.length); at++) {
    const [one, text] = [names[at] ?? first, all[at] ?? (all[0] as string)];
    if (one !== (names[at - 1] ?? first) || text !== (all[at - 1] ?? all[0])) addField(values, one, text);
  }
}

/** For qs the name ends at the first `]=`. */
const NAME_END = /(?:\]|%5d)=/i;

function addPiece(values: Named, piece: string, reading: FormReading, hasNameEnd: boolean): void {
  countStep();
  if (piece === "") return;
  const at = piece.indexOf("=");
  if (at < 0) return addDecoded(values, piece, "", reading);
  addDecoded(values, piece.slice(0, at), piece.slice(at + 1), reading);
  if (!hasNameEnd || piece.indexOf("=", at + 1) < 0) return;
  const end = NAME_END.exec(piece);
  const other = end ? end.index + end[0].length - 1 : at;
  if (other > at) addDecoded(values, piece.slice(0, other), piece.slice(other + 1), reading);
}

/** Adds the fields of a text in which spaces stand for plus signs already. */
function addFields(values: Named, text: string, reading: FormReading): void {
  const hasNameEnd = text.includes("]=") || (text.includes("%5") && NAME_END.test(text));
  const splits = reading.splitsSemicolons === true && text.includes(";");
  for (const piece of text.split("&")) {
    addPiece(values, piece, reading, hasNameEnd);
    // Rack, and others earlier, split here, too.
    if (splits && piece.includes(";")) for (const part of piece.split(";")) addPiece(values, part, reading, hasNameEnd);
  }
}

const PLUS = 0x2b;
const SPACE = 0x20;

/** Of thousands of plus signs, `replaceAll` takes three times as long. */
function plusToSpace(text: string): string {
  if (!text.includes("+")) return text;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === PLUS) bytes[at] = SPACE;
  const spaced = bytes.toString();
  countCharacters(spaced.length);
  return spaced;
}

/** Adds the fields of a body. */
export function readForm(text: string, values: Named, reading: FormReading = {}): void {
  const spaced = plusToSpace(text);
  addFields(values, spaced, reading);
  // URLSearchParams, which formidable and Hono read forms with, drops one.
  if (spaced.startsWith("?")) addFields(values, spaced.slice(1).split("&", 1)[0] as string, reading);
}

/** Adds the parameters of a query, which is short and may hold halves of surrogate pairs. */
export function readQuery(text: string, values: Named): void {
  addFields(values, text.includes("+") ? text.replaceAll("+", " ") : text, { splitsSemicolons: true });
}
