// The fields of forms, queries and cookies, written from docs/firewall.md.
import { decodeInAllWays } from "./heads.ts";
import { namesOfField } from "./field-names.ts";

export type Pairs = readonly (readonly [name: string, value: string])[];

/** Splits at the first `=`. */
export function cutPair(piece: string): readonly [string, string] {
  const at = piece.indexOf("=");
  return at < 0 ? [piece, ""] : [piece.slice(0, at), piece.slice(at + 1)];
}

function fieldsOf(name: string, value: string, isLatin: boolean): Pairs {
  const names = decodeInAllWays(name.replaceAll("+", " "), isLatin);
  const values = decodeInAllWays(value.replaceAll("+", " "), isLatin);
  const ways = [...Array(Math.max(names.length, values.length)).keys()];
  return ways.flatMap((way) =>
    namesOfField(names[way] ?? (names[0] as string)).map((one) => [one, values[way] ?? (values[0] as string)] as const),
  );
}

function piecesOf(piece: string, isLatin: boolean): Pairs {
  const [name, value] = cutPair(piece);
  const end = /^([^]*?(?:\]|%5[dD]))=([^]*)$/.exec(piece);
  const pairs = [...fieldsOf(name, value, isLatin)];
  if (end && (end[1] as string).includes("=")) pairs.push(...fieldsOf(end[1] as string, end[2] as string, isLatin));
  return pairs;
}

/** All fields of a form or a query. */
export function readFields(text: string, { isLatin = false, splitsSemicolons = false } = {}): Pairs {
  const pieces = text
    .split("&")
    .flatMap((piece) => (splitsSemicolons && piece.includes(";") ? [piece, ...piece.split(";")] : [piece]));
  return pieces.filter((piece) => piece !== "").flatMap((piece) => piecesOf(piece, isLatin));
}

/** All fields of a form, of which the first may have a question mark that is not its own. */
export function readForm(text: string, manner = {}): Pairs {
  const [, first] = /^\?([^&]*)/.exec(text) ?? [];
  return [...readFields(text, manner), ...(first === undefined ? [] : readFields(first, manner))];
}

const BLANKS = " \t";
const WHITE = `${BLANKS}\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff`;

function withoutBegin(characters: string, text: string): string {
  const from = text.split("").findIndex((one) => !characters.includes(one));
  return from < 0 ? "" : text.slice(from);
}

function without(characters: string, text: string): string {
  const reversed = (one: string) => one.split("").toReversed().join("");
  return reversed(withoutBegin(characters, reversed(withoutBegin(characters, text))));
}

function pythonText(quoted: string): string {
  const parts = quoted.split(/(\\[0-3][0-7][0-7]|\\[^])/);
  return parts
    .map((part, at) => {
      if (at % 2 === 0) return part;
      return part.length === 4 ? String.fromCodePoint(Number.parseInt(part.slice(1), 8)) : part.slice(1);
    })
    .join("");
}

function valuesOfCookie(value: string): string[] {
  const forms = [value, ...decodeInAllWays(value), ...decodeInAllWays(value.replaceAll("+", " "))];
  const inner = /^"([^]*)"$/.exec(value)?.[1];
  if (inner === undefined) return forms;
  return [...forms, inner, ...decodeInAllWays(inner), ...(inner.includes("\\") ? [pythonText(inner)] : [])];
}

/** All cookies of a `Cookie` header. */
export function readCookie(header: string): Pairs {
  return header.split(";").flatMap((piece) => {
    const plain = without(BLANKS, piece);
    if (plain === "") return [];
    const [sentName, sentValue] = cutPair(piece);
    const name = without(BLANKS, sentName);
    const names = [name, without(WHITE, name), withoutBegin(BLANKS, sentName), ...decodeInAllWays(name)];
    const value = without(BLANKS, sentValue);
    const values = [value, without(WHITE, value), sentValue].flatMap(valuesOfCookie);
    const pairs = names.flatMap(namesOfField).flatMap((one) => values.map((text) => [one, text] as const));
    const nameless = piece.includes("=") ? [] : [["", name] as const, ["", without(WHITE, name)] as const];
    return [...pairs, ...nameless];
  });
}
