// Values of JSON: each text, number, boolean and null with the names of the members that lead to it, joined by dots. A member that is
// there twice has both values, because parsers differ in which of them they keep.
import { countStep } from "../time-limit.ts";
import { UndecodableError, joinNames } from "./named-values.ts";
import type { ValueList } from "./named-values.ts";

/** What applications send is flatter, and names of deep values are long. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/** Numbers with a fraction or an exponent, or of more digits than doubles hold. */
const UNUSUAL_NUMBER = /^-?\d+[.eE]|^-0$|\d{16}/;

interface Container {
  readonly isObject: boolean;
  /** The name of its values; of an object's, that of the object itself. */
  readonly name: string;
}

/** The index of the quote that ends the text which begins at `start`, behind its first quote. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start); ; end = json.indexOf('"', end + 1)) {
    let at = end;
    while (json.charCodeAt(at - 1) === BACKSLASH) at--;
    // Two of them are one of the text.
    if ((end - at) % 2 === 0) return end;
  }
}

/** The index behind a number, `true`, `false` or `null`. */
function endOfWord(json: string, start: number): number {
  let at = start;
  for (; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code <= SPACE || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT) break;
  }
  return at;
}

/** A number that JavaScript writes in another way has that text, too: `1e6` is `1000000`. */
function addWord(values: ValueList, name: string, word: string): void {
  values.add(name, word);
  if (!UNUSUAL_NUMBER.test(word)) return;
  const written = String(Number(word));
  if (written !== word) values.add(name, written, true);
}

/** Expects JSON, so it looks for nothing but the ends of tokens. */
function collect(json: string, values: ValueList, outer: string): void {
  const open: Container[] = [];
  let name = outer;
  let isName = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code <= SPACE || code === COLON) continue;
    countStep();
    const inner = open.at(-1);
    if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (open.length >= MAX_DEPTH) throw new UndecodableError(`it is nested more than ${MAX_DEPTH} deep`);
      isName = code === OPEN_OBJECT;
      open.push({ isObject: isName, name });
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      open.pop();
    } else if (code === COMMA) {
      isName = inner?.isObject === true;
      name = inner?.name ?? "";
    } else if (code === QUOTE) {
      const end = endOfText(json, at + 1);
      const plain = json.slice(at + 1, end);
      const text = plain.includes("\\") ? (JSON.parse(json.slice(at, end + 1)) as string) : plain;
      if (!isName) values.add(name, text);
      else name = joinNames(inner?.name, text);
      isName = false;
      at = end;
    } else {
      const end = endOfWord(json, at);
      addWord(values, name, json.slice(at, end));
      at = end - 1;
    }
  }
}

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Throws an `UndecodableError` when the text is not JSON (RFC 8259). `outer` is the name of what it is in. */
export function readJson(text: string, values: ValueList, outer = ""): void {
  if (!isValid(text)) throw new UndecodableError("it is not JSON");
  collect(text, values, outer);
}

const CONTAINER = /^\s*[[{]/;

/** Reads an object or a list, or lines of these up to the first that is none. Returns whether it has read one. */
export function readJsonLines(text: string, values: ValueList): boolean {
  if (!CONTAINER.test(text)) return false;
  if (isValid(text)) {
    collect(text, values, "");
    return true;
  }
  let found = false;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    if (!CONTAINER.test(line) || !isValid(line)) break;
    collect(line, values, "");
    found = true;
  }
  return found;
}
