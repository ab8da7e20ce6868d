// Values of JSON: each text, number, boolean and null with the names of the members that lead to it, joined by dots. A member that is
// there twice has both values, because parsers differ in which of them they keep.
import { countCharacters, countStep } from "../time-limit.ts";
import { UndecodableError, ValueList, joinNames } from "./named-values.ts";

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
/** Looking for a quote takes as long as so many characters. */
const CHARACTERS_OF_QUOTE = 8;

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
    if (end < 0) refuse();
    countCharacters(CHARACTERS_OF_QUOTE);
    let at = end;
    while (json.charCodeAt(at - 1) === BACKSLASH) at--;
    countCharacters(end - at);
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

/** Looks for nothing but the ends of tokens: whether it is JSON is found out behind. */
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
      countCharacters(plain.length);
      if (!isName) values.add(name, text);
      else name = joinNames(inner?.name, text);
      isName = false;
      at = end;
    } else {
      const end = endOfWord(json, at);
      if (end === at) refuse();
      addWord(values, name, json.slice(at, end));
      at = end - 1;
    }
  }
}

function refuse(): never {
  throw new UndecodableError("it is not JSON");
}

/** Throws an `UndecodableError` when the text is not JSON (RFC 8259). `outer` is the name of what it is in. */
export function readJson(text: string, values: ValueList, outer = ""): void {
  try {
    // First, because it counts its steps: the parser of the engine takes long for what is nested deep.
    collect(text, values, outer);
    JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) refuse();
    throw error;
  }
}

/** What lenient parsers skip before a value, and the brackets of lists. */
const BEFORE_VALUE = /([\s[]+)|\/\*[^]*?\*\/|\/\/.*[\n\r\u2028\u2029]/y;
/** The beginning of an object for any parser: some take comments or names without quotes. `{{` is none for anybody. */
const OBJECT = /\{\s*(?:["'}/#]|[\w$]+\s*:)/y;
/** An item of a list for any parser. `[a]` is no list for anybody, and neither is `[2026-11-27 12:00]`. */
const ITEM =
  /["'\]#]|[+-]?(?:true|false|null|nan|infinity|undefined|0x[\da-f]+|\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)\s*(?:[,;\]#]|\/[/*])/iy;
const MAY_BE_TEXT = /^\s*"/;

function matchesAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** Whether the most lenient parser may find an object or a list, even with something behind it. */
function mayBeJson(text: string): boolean {
  let at = 0;
  let isInList = false;
  for (let skipped; (skipped = matchesAt(BEFORE_VALUE, text, at)); at = BEFORE_VALUE.lastIndex) {
    countStep();
    isInList ||= skipped[1]?.includes("[") === true;
  }
  return matchesAt(OBJECT, text, at) !== null || (isInList && matchesAt(ITEM, text, at) !== null);
}

function readLine(line: string, values: ValueList): void {
  if (line.trim() === "") return;
  if (!mayBeJson(line)) refuse();
  readJson(line, values);
}

/** Reads a document, or one on each line, of a body that does not say that it is JSON. What only looks like one is refused. */
export function readAnyJson(text: string, values: ValueList): void {
  if (MAY_BE_TEXT.test(text)) return readQuoted(text, values);
  if (!mayBeJson(text)) return;
  const whole = new ValueList();
  try {
    readJson(text, whole);
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    if (!text.includes("\n")) throw error;
    for (const line of text.split("\n")) readLine(line, values);
    return;
  }
  values.addAll(whole);
}

/** A text in quotes may be one of JSON. */
function readQuoted(text: string, values: ValueList): void {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") values.add("", value, true);
  } catch {
    // It is a text as it is.
  }
}
