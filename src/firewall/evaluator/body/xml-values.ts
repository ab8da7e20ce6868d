// Values of XML: each text and each attribute with the names of the elements that lead to it, joined by dots (`order.item.@id`).
// Extensible Markup Language 1.0 (Fifth Edition), https://www.w3.org/TR/xml/, without document types. Whatever is not well-formed is
// refused: another parser could see something else in it.
import { countCharacters, countStep } from "../time-limit.ts";
import { encodingOf, isLatin, textsOf } from "./charsets.ts";
import { UndecodableError, ValueList, joinNames } from "./named-values.ts";

const MAX_DEPTH = 64;
const STEP = 4_096;

/** Rule 2: what is no Char, in a text that was decoded, so that it has no half of a surrogate pair. */
const NO_CHARACTER = /[^\t\n\r\x20-\uFFFD]/;
/** Rules 4 to 5. */
const START =
  ":A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF" +
  "\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}";
const NAME = `[${START}][${START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]*`;
const SPACE = "[ \\t\\n]";
const START_TAG = new RegExp(`<${NAME}`, "uy");
const ATTRIBUTE = new RegExp(`${SPACE}+(${NAME})${SPACE}*=${SPACE}*(?:"([^"<]*)"|'([^'<]*)')`, "uy");
const TAG_END = new RegExp(`${SPACE}*(/?)>`, "y");
const INSTRUCTION = new RegExp(`<\\?(${NAME})(?=\\?>|${SPACE})`, "uy");
/** Rule 23. The encoding has been checked before. */
const DECLARATION = new RegExp(
  `<\\?xml${SPACE}+version${SPACE}*=${SPACE}*(?:"1\\.0"|'1\\.0')` +
    `(?:${SPACE}+encoding${SPACE}*=${SPACE}*(?:"([A-Za-z][\\w.\\-]*)"|'([A-Za-z][\\w.\\-]*)'))?` +
    `(?:${SPACE}+standalone${SPACE}*=${SPACE}*(?:"(?:yes|no)"|'(?:yes|no)'))?${SPACE}*\\?>`,
  "uy",
);
/** Some parsers trim an attribute, and some keep line ends in it (fast-xml-parser). */
const UNUSUAL_ATTRIBUTE = /^\s|\s$|[\t\n]/;
const REFERENCE = /&(?:#(\d+)|#x([\dA-Fa-f]+)|(amp|lt|gt|quot|apos));/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function refuse(found = "it is not well-formed XML"): never {
  throw new UndecodableError(found);
}

/** Section 3.3.3. In steps, because millions of replacements take long. */
function withSpaces(text: string): string {
  if (!/[\t\n]/.test(text)) return text;
  let spaced = "";
  for (let at = 0; at < text.length; at += STEP) {
    spaced += text.slice(at, at + STEP).replaceAll(/[\t\n]/g, " ");
    countCharacters(STEP);
  }
  return spaced;
}

/** Section 2.11. */
function normaliseLines(text: string): string {
  if (!text.includes("\r")) return text;
  const lines = text.replaceAll("\r\n", "\n");
  countCharacters(text.length);
  return lines.replaceAll("\r", "\n");
}

function characterOf([, decimal, hex, name]: RegExpExecArray): string {
  if (name !== undefined) return ENTITIES[name] as string;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const isCodePoint = code < 0xd800 || (code > 0xdfff && code <= 0x10ffff);
  if (!isCodePoint) refuse();
  const character = String.fromCodePoint(code);
  return NO_CHARACTER.test(character) ? refuse() : character;
}

/** One reference after the other: `replaceAll` would find all of them before the first one is looked at, and a million take long. */
function dereference(text: string): string {
  let read = "";
  let from = 0;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", from)) {
    countStep();
    REFERENCE.lastIndex = at;
    const found = REFERENCE.exec(text) ?? refuse();
    read += text.slice(from, at) + characterOf(found);
    from = REFERENCE.lastIndex;
  }
  return from === 0 ? text : read + text.slice(from);
}

/** Prefixes of namespaces are the writer's choice. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

interface OpenElement {
  readonly name: string;
  readonly path: string;
  /** How many texts it has, and these texts joined: as they are, and trimmed. */
  texts: number;
  joined: string;
  trimmed: string;
}

class XmlReader {
  readonly values = new ValueList();
  readonly #text: string;
  readonly #open: OpenElement[] = [];
  #at = 0;
  #hasRoot = false;
  /** What has been read of a text. Applications join the texts before and after a comment, an instruction and a CDATA section. */
  #joined = "";
  /** The texts of which it is made, trimmed, without empty ones. */
  #pieces: string[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(charset: string): ValueList {
    const text = this.#text;
    const declaration = this.#match(DECLARATION);
    const encoding = declaration?.[1] ?? declaration?.[2];
    if (encoding !== undefined && encodingOf(encoding) !== encodingOf(charset))
      refuse("it declares another encoding than its Content-Type");
    for (let tag = text.indexOf("<", this.#at); tag >= 0; tag = text.indexOf("<", this.#at)) {
      countStep();
      this.#readText(tag);
      const next = text[tag + 1];
      if (next === "/") this.#readEndTag();
      else if (next === "!") this.#readMarkup();
      else if (next === "?") this.#readInstruction();
      else this.#readStartTag();
    }
    this.#readText(text.length);
    if (this.#open.length > 0 || !this.#hasRoot) refuse();
    return this.values;
  }

  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    if (found) this.#at = expression.lastIndex;
    return found;
  }

  /** What is between here and an end that has to come. */
  #upTo(end: string, from: number): string {
    const at = this.#text.indexOf(end, from);
    if (at < 0) refuse();
    this.#at = at + end.length;
    return this.#text.slice(from, at);
  }

  #readText(end: number): void {
    if (end === this.#at) return;
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    if (this.#open.length > 0 ? text.includes("]]>") : /[^ \t\n]/.test(text)) refuse();
    this.#addPiece(dereference(text));
    countCharacters(text.length);
  }

  #addPiece(text: string): void {
    this.#joined += text;
    const trimmed = text.trim();
    if (trimmed !== "") this.#pieces.push(trimmed);
  }

  #endText(): void {
    const joined = this.#joined;
    const pieces = this.#pieces;
    const element = this.#open.at(-1);
    this.#joined = "";
    this.#pieces = [];
    if (!element || joined === "") return;
    const trimmed = joined.trim();
    element.joined += joined;
    element.trimmed += trimmed;
    if (trimmed === "") return;
    element.texts++;
    this.values.add(element.path, trimmed);
    // REXML does not join them.
    if (pieces.length > 1) for (const piece of pieces) this.values.add(element.path, piece, true);
  }

  #readStartTag(): void {
    const name = this.#readName();
    this.#endText();
    const outer = this.#open.at(-1);
    if (this.#open.length >= MAX_DEPTH) refuse(`it is nested more than ${MAX_DEPTH} deep`);
    if (!outer && this.#hasRoot) refuse();
    this.#hasRoot = true;
    const path = joinNames(outer?.path, localName(name));
    const names = new Set<string>();
    for (let found = this.#matchAttribute(); found; found = this.#matchAttribute()) {
      const [, attribute = "", value = found[3] ?? ""] = found;
      if (names.size === names.add(attribute).size) refuse();
      this.#addAttribute(`${path}.@${localName(attribute)}`, value);
    }
    if (this.#readTagEnd() === "") this.#open.push({ name, path, texts: 0, joined: "", trimmed: "" });
  }

  #addAttribute(name: string, written: string): void {
    const spaced = withSpaces(written);
    this.values.add(name, dereference(spaced));
    if (!UNUSUAL_ATTRIBUTE.test(written)) return;
    const others = new Set([spaced.trim(), written, written.trim()]);
    others.delete(spaced);
    for (const other of others) this.values.add(name, dereference(other), true);
  }

  #readName(): string {
    START_TAG.lastIndex = this.#at;
    if (!START_TAG.test(this.#text)) refuse();
    const from = this.#at + 1;
    this.#at = START_TAG.lastIndex;
    return this.#text.slice(from, this.#at);
  }

  #matchAttribute(): RegExpExecArray | null {
    return this.#text[this.#at] === ">" ? null : this.#match(ATTRIBUTE);
  }

  /** "/": the element is empty. */
  #readTagEnd(): string {
    if (this.#text[this.#at] !== ">") return this.#match(TAG_END)?.[1] ?? refuse();
    this.#at++;
    return "";
  }

  #readEndTag(): void {
    this.#endText();
    const { name, path, texts, joined, trimmed } = this.#open.pop() ?? refuse();
    // Applications join the texts around elements as well.
    if (texts > 1) for (const text of new Set([joined.trim(), trimmed])) this.values.add(path, text);
    if (!this.#text.startsWith(name, this.#at + 2)) refuse();
    this.#at += 2 + name.length;
    if (this.#readTagEnd() !== "") refuse();
  }

  #readMarkup(): void {
    const text = this.#text;
    if (text.startsWith("<!--", this.#at)) {
      this.#upTo("--", this.#at + 4);
      if (text[this.#at++] !== ">") refuse();
    } else if (text.startsWith("<![CDATA[", this.#at) && this.#open.length > 0) {
      this.#addPiece(this.#upTo("]]>", this.#at + 9));
    } else {
      refuse(text.startsWith("<!DOCTYPE", this.#at) ? "it has a document type" : undefined);
    }
  }

  #readInstruction(): void {
    const target = this.#match(INSTRUCTION)?.[1] ?? refuse();
    if (target.toLowerCase() === "xml") refuse();
    this.#upTo("?>", this.#at);
  }
}

/** The encoding that the XML declaration names, which has to be the first thing. */
const DECLARED = /^(?:\xef\xbb\xbf)?<\?xml\s[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/;
const MAX_DECLARATION = 256;

function declaredEncoding(bytes: Uint8Array): string | undefined {
  return DECLARED.exec(Buffer.from(bytes.subarray(0, MAX_DECLARATION)).toString("latin1"))?.[1];
}

/**
 * Throws an `UndecodableError` when the bytes are not well-formed, say different encodings, or have a document type, which may define
 * entities.
 */
export function readXml(bytes: Uint8Array, charset = declaredEncoding(bytes) ?? "utf-8"): ValueList {
  const [text, ...others] = textsOf(bytes, charset);
  const values = readXmlText(text, charset);
  // A document that says nothing is in UTF-8 for parsers that do not see the header.
  for (const other of isLatin(charset) ? others : []) values.addReading(readXmlText(other, charset));
  return values;
}

/** Reads one text of a body. */
export function readXmlText(text: string, charset: string): ValueList {
  if (NO_CHARACTER.test(text)) refuse();
  countCharacters(text.length);
  return new XmlReader(normaliseLines(text)).read(charset);
}

/** A comment, an instruction, a document type or an element begins so. Lenient parsers take any name for that of an element. */
const MAY_BE_XML = /^\s*<(?:[?!:A-Z_a-z\u0080-\uFFFF]|[^>]*>)/;

export function mayBeXml(text: string): boolean {
  return MAY_BE_XML.test(text);
}
