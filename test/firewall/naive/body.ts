// The values of JSON, forms, XML and texts, written from docs/firewall.md. Undefined means that the body cannot be read.
import { SaxesParser } from "saxes";
import type { RequestAttributes } from "../../../src/firewall/evaluator/request/attributes.ts";
import { cutPair, readForm, type Pairs } from "./fields.ts";

interface MediaType {
  readonly type: string;
  /** Undefined: the header names none. */
  readonly charset: string | undefined;
}

const isFile = (type: string) =>
  type.startsWith("application/") && type.includes("octet-stream") && !/\/json$|\+(json|xml)$/.test(type);

/** The type and the charset that a `Content-Type` names. Texts in quotes are set aside first. */
function readMediaType(written: string): MediaType | undefined {
  const quoted: string[] = [];
  const plain = written.replace(/"((?:[^"\\]|\\.)*)"/g, (_all, inner: string) => {
    quoted.push(inner.replace(/\\(.)/g, "$1"));
    return `quoted-text-${quoted.length - 1}`;
  });
  if (plain.includes('"') || written.length > 512 || /[^\t -~]/.test(written)) return undefined;
  const [type = "", ...rest] = plain.split(";").map((piece) => piece.trim());
  const token = /^[-\w!#$%&'+.^`|~/]+$/;
  if (type !== "" && !/^[-\w!#$%&'*+.^`|~/]+$/.test(type)) return undefined;
  const names: string[] = [];
  let charset: string | undefined;
  for (const piece of rest) {
    if (piece === "") continue;
    const [name, value] = cutPair(piece).map((text) => text.trim()) as [string, string];
    if (!piece.includes("=") || !token.test(name) || names.includes(name.toLowerCase())) return undefined;
    names.push(name.toLowerCase());
    const at = /^quoted-text-(\d+)$/.exec(value)?.[1];
    if (name.toLowerCase() === "charset")
      charset = (at === undefined ? value : (quoted[Number(at)] ?? value)).toLowerCase();
  }
  const isOpen = type.toLowerCase() === "application/x-www-form-urlencoded" || isFile(type.toLowerCase());
  const hidden = written.toLowerCase().split(/urlencoded|octet-stream/).length - (isOpen ? 2 : 1);
  return hidden > 0 ? undefined : { type: type.toLowerCase(), charset };
}

const isLatin = (charset = "utf-8") => ["iso-8859-1", "latin1", "windows-1252"].includes(charset);
const isAscii = (charset: string) => ["us-ascii", "ascii"].includes(charset);
const isXml = (type: string) => /^(?:application|text)\/xml$|\+xml$/.test(type);

/** The texts that the bytes of a body are. */
function textsIn(body: string, charset = "utf-8"): readonly string[] | undefined {
  const text = body.toWellFormed();
  const bytes = Buffer.from(text, "utf8");
  if (isLatin(charset)) return [new TextDecoder("windows-1252").decode(bytes), bytes.toString("latin1"), text];
  if (isAscii(charset)) return bytes.every((byte) => byte < 0x80) ? [text] : undefined;
  if (!["utf-8", "utf8"].includes(charset)) return undefined;
  return text.startsWith("\ufeff") ? [text.slice(1), text] : [text];
}

/** A number with the text that it was written as. */
class Written {
  readonly texts: readonly string[];

  constructor(value: number, source: string) {
    this.texts = [source, String(value)];
  }
}

/** What applications read of JSON without members that are there twice. */
function readJson(text: string): Pairs | undefined {
  const pairs: (readonly [string, string])[] = [];
  const visit = (value: unknown, name: string): void => {
    if (value instanceof Written) pairs.push(...value.texts.map((one) => [name, one] as const));
    else if (typeof value !== "object" || value === null) pairs.push([name, String(value)]);
    else {
      for (const [key, inner] of Object.entries(value)) {
        visit(inner, Array.isArray(value) ? name : name === "" ? key : `${name}.${key}`);
      }
    }
  };
  try {
    const withSource = (_key: string, value: unknown, { source = "" }: { readonly source?: string }) =>
      typeof value === "number" ? new Written(value, source) : value;
    visit(JSON.parse(text, withSource as Parameters<typeof JSON.parse>[1]), "");
    return pairs;
  } catch {
    return undefined;
  }
}

/** With each attribute written in another way. */
function withAttributes(text: string, rewrite: (value: string) => string): string {
  return text.replace(
    /<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>|<\?[^]*?\?>|<[^\s!?/](?:"[^"]*"|'[^']*'|[^>"'])*>/g,
    (markup) =>
      /^<[!?]/.test(markup)
        ? markup
        : markup.replace(
            /"[^"]*"|'[^']*'/g,
            (value) => value.charAt(0) + rewrite(value.slice(1, -1)) + value.charAt(0),
          ),
  );
}

const trim = (value: string) => value.trim();
const keepBreaks = (value: string) => value.replace(/\r\n?|\n/g, "&#10;").replace(/\t/g, "&#9;");

const declared = (text: string) => /^<\?xml\s[^>]*\sencoding\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1]?.toLowerCase();
const isSame = (one: string, other: string) => isLatin(one) === isLatin(other) && isAscii(one) === isAscii(other);

/** A document as every parser reads it. A mark before it is none of it. */
function readXml(text: string, charset = "utf-8"): Pairs | undefined {
  if (text.startsWith("\ufeff") || !isSame(declared(text) ?? charset, charset)) return undefined;
  const rewrites = [(value: string) => value, trim, keepBreaks, (value: string) => keepBreaks(trim(value))];
  const readings = rewrites.map((rewrite) => readDocument(withAttributes(text, rewrite)));
  return readings.includes(undefined) ? undefined : readings.flatMap((one) => one ?? []);
}

/** A body that says nothing of its charset is in the one that its document declares. */
function readXmlBody(body: string, written: string | undefined): Pairs | undefined {
  const charset = written ?? declared(body.replace(/^\ufeff/, "")) ?? "utf-8";
  const texts = textsIn(body, charset);
  const readings = (isLatin(charset) ? texts : texts?.slice(0, 1))?.map((text) => readXml(text, charset));
  return readings?.includes(undefined) ? undefined : readings?.flatMap((one) => one ?? []);
}

function readDocument(text: string): Pairs | undefined {
  const pairs: (readonly [string, string])[] = [];
  const open: { readonly name: string; readonly texts: string[] }[] = [];
  let joined = "";
  let pieces: string[] = [];
  let isBroken = false;
  const parser = new SaxesParser({ xmlns: false, position: false });
  const breakIt = () => void (isBroken = true);
  const local = (name: string) => name.slice(name.indexOf(":") + 1);
  const path = () => open.map(({ name }) => name).join(".");
  const add = (...texts: readonly string[]) => {
    for (const one of new Set(texts)) if (one.trim() !== "") pairs.push([path(), one.trim()]);
  };
  const endText = () => {
    add(joined, ...pieces);
    open.at(-1)?.texts.push(joined);
    joined = "";
    pieces = [];
  };
  parser.on("error", breakIt);
  parser.on("doctype", breakIt);
  parser.on("opentag", ({ name, attributes }) => {
    endText();
    open.push({ name: local(name), texts: [] });
    for (const [key, value] of Object.entries(attributes)) pairs.push([`${path()}.@${local(key)}`, value]);
  });
  parser.on("closetag", () => {
    endText();
    const texts = open.at(-1)?.texts ?? [];
    add(texts.join(""), texts.map(trim).join(""));
    open.pop();
  });
  for (const kind of ["text", "cdata"] as const) {
    parser.on(kind, (more) => {
      joined += more;
      pieces.push(more);
    });
  }
  parser.write(text).close();
  return isBroken || /<\?[^ \t\r\n?]*\?(?!>)/.test(text) ? undefined : pairs;
}

/** Drops white space and complete comments in front. */
function withoutComments(text: string): string {
  const rest = text.trimStart();
  const end = rest.startsWith("/*")
    ? rest.indexOf("*/", 2) + 2
    : rest.startsWith("//")
      ? rest.search(/[\n\r\u2028\u2029]/)
      : 0;
  return end > 1 ? withoutComments(rest.slice(end)) : rest;
}

/** Whether a text goes on as a list does behind its bracket: with its end, a text, or a number or a word that is complete. */
function beginsItem(rest: string): boolean {
  if (/^["'\]#]/.test(rest)) return true;
  const [, item = "", behind = ""] = /^[+-]?([.\w]*(?:(?<=\de)[+-]\d*)?)\s*([^]?[^]?)/i.exec(rest) ?? [];
  const isWord = ["true", "false", "null", "nan", "infinity", "undefined"].includes(item.toLowerCase());
  const isNumber = /^(?=\.?\d)(?:0x[\da-f]+|\d*\.?\d*(?:e[+-]?\d+)?)$/i.test(item);
  return (isWord || isNumber) && /^(?:[,;\]#]|\/\/|\/\*)/.test(behind);
}

/** Whether a text begins as an object or a list of JSON does, for the most lenient parser. */
function beginsLikeJson(text: string): boolean {
  const rest = withoutComments(text);
  const inner = rest.slice(1).trimStart();
  if (rest.startsWith("{")) return ['"', "'", "}", "/", "#"].includes(inner.charAt(0)) || /^[\w$]+\s*:/.test(inner);
  return rest.startsWith("[") && (beginsItem(withoutComments(rest.slice(1))) || beginsLikeJson(rest.slice(1)));
}

/** What else a body is that does not say so. */
function readDocuments(text: string, body: string, charset: string | undefined): Pairs | undefined {
  if (/^\s*<[?!:A-Z_a-z\u0080-\uffff]/.test(text) || (text.trimStart().startsWith("<") && text.includes(">")))
    return charset === undefined ? readXmlBody(body, charset) : readXml(text.replace(/^\ufeff/, ""), charset);
  if (text.trimStart().startsWith('"')) return readJson(text) ?? [];
  if (!beginsLikeJson(text)) return [];
  const whole = readJson(text);
  if (whole) return whole;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 1 && !text.includes("\n")) return undefined;
  const read = lines.map((line) => (beginsLikeJson(line) ? readJson(line) : undefined));
  return read.includes(undefined) ? undefined : read.flatMap((one) => one ?? []);
}

function readText(text: string, body: string, { type, charset }: MediaType): Pairs | undefined {
  if (type === "application/json") return readJson(text);
  const documents = readDocuments(text, body, charset);
  if (documents === undefined) return undefined;
  if (type === "application/x-www-form-urlencoded")
    return [...readForm(text, { isLatin: isLatin(charset), splitsSemicolons: true }), ...documents];
  return [
    ["", text],
    ...(isFile(type) ? [["file", text] as const] : []),
    ...(text.includes("=") ? readForm(text) : []),
    ...documents,
  ];
}

export function readBody({ body }: RequestAttributes, headers: Pairs): Pairs | undefined {
  if (typeof body !== "string" || body === "") return [];
  const types = headers.filter(([name]) => name === "content-type").map(([, type]) => type);
  const media = types.length > 1 ? undefined : readMediaType(types[0] ?? "");
  if (media && isXml(media.type)) return readXmlBody(body, media.charset);
  const texts = media && textsIn(body, media.charset);
  if (!media || !texts) return undefined;
  const isJson = media.type === "application/json";
  const readings = texts.filter((text, at) => at === 0 || !isJson || !text.startsWith("\ufeff"));
  const pairs = readings.map((text) => readText(text, body, media));
  if (pairs.includes(undefined)) return undefined;
  const all = pairs.flatMap((one) => one ?? []);
  return all.some((pair) => pair.join("").includes("\0")) ? undefined : all;
}
