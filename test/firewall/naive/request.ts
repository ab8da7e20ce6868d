// The values that conditions compare, written from docs/firewall.md alone and without regard to speed.
import type { RequestAttributes } from "../../../src/evaluator/request/attributes.ts";
import { parseAddress, type NaiveAddress } from "./address.ts";

type Pairs = readonly (readonly [name: string, value: string])[];

export interface NaiveRequest {
  readonly attributes: RequestAttributes;
  readonly method: string;
  readonly scheme: string | undefined;
  readonly host: string | undefined;
  readonly rawPath: string;
  readonly path: string;
  readonly targetPath: string;
  readonly query: Pairs;
  readonly cookies: Pairs;
  readonly body: Pairs;
  readonly headers: Pairs;
  readonly userAgents: readonly string[];
  readonly address: NaiveAddress | undefined;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes every `%XX` once, as UTF-8. */
function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (run) =>
    utf8.decode(Uint8Array.from(run.slice(1).split("%"), (digits) => Number.parseInt(digits, 16))),
  );
}

/** Decodes every `%XX` in the bytes of the text until none is left. */
function decodeAll(text: string): string {
  let bytes = Buffer.from(text, "utf8").toString("latin1");
  for (let before = ""; before !== bytes;) {
    before = bytes;
    bytes = before.replace(/%([0-9a-fA-F]{2})/g, (_escape, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
  }
  return utf8.decode(Buffer.from(bytes, "latin1"));
}

/** Normalises a path by the steps of the page, one after the other. */
function readPath(rawPath: string): string {
  let path = decodeAll(rawPath).replaceAll("\\", "/");
  path = path.replace(/;[^/]*/g, "");
  path = path.replace(/\/+/g, "/");
  const output: string[] = [];
  while (path !== "") {
    const end = path.indexOf("/", 1);
    const segment = end < 0 ? path : path.slice(0, end);
    path = end < 0 ? "" : path.slice(end);
    if (segment === "/..") output.pop();
    // A dot segment at the end leaves its slash.
    if (segment !== "/." && segment !== "/..") output.push(segment);
    else if (path === "") output.push("/");
  }
  return output.join("");
}

/** Splits at the first `=`. */
function cutPair(piece: string): readonly [string, string] {
  const at = piece.indexOf("=");
  return at < 0 ? [piece, ""] : [piece.slice(0, at), piece.slice(at + 1)];
}

/** Decodes `+` as a space, and then every `%XX`. */
export function decodeForm(text: string): string {
  return decodePercent(text.replaceAll("+", " "));
}

/** A field, and again under the name that it has in JSON. */
function withNested([name, value]: readonly [string, string]): [string, string][] {
  const own = /[ \0]/.test(name) ? name.replace(/\0[^]*$/, "").replace(/^ +/, "") : name;
  const nested = own.replace(/\[\d*\]/g, "").replace(/\[([^[\]]+)\]/g, ".$1");
  const read = nested === own ? own : nested.replace(/^\./, "");
  return read === name
    ? [[name, value]]
    : [
        [name, value],
        [read, value],
      ];
}

function readQuery(text: string): Pairs {
  const pairs: [string, string][] = [];
  for (const piece of text.split("&")) {
    if (piece === "") continue;
    const [name, value] = cutPair(piece);
    pairs.push(...withNested([decodeForm(name), decodeForm(value)]));
  }
  return pairs;
}

function trimBlanks(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && (text[from] === " " || text[from] === "\t")) from++;
  while (to > from && (text[to - 1] === " " || text[to - 1] === "\t")) to--;
  return text.slice(from, to);
}

/** The ways in which applications read a cookie, with the one in which it was sent. */
function waysToRead([name, value]: readonly [string, string]): readonly [string, string][] {
  const quoted = /^"([^]*)"$/.exec(value)?.[1];
  const ways: [string, string][] = [[decodePercent(name), decodePercent(quoted ?? value)]];
  if (quoted?.includes("\\")) {
    const unescaped = quoted.split(/(\\[0-3][0-7][0-7]|\\.)/).map((part, at) => {
      if (at % 2 === 0) return part;
      return part.length === 4 ? String.fromCodePoint(Number.parseInt(part.slice(1), 8)) : part.slice(1);
    });
    ways.push([decodePercent(name), unescaped.join("")]);
  }
  return [[name, value], ...ways.filter(([key, text]) => key !== name || text !== value)];
}

function readCookies(headers: Pairs): Pairs {
  const pairs: [string, string][] = [];
  for (const [header, text] of headers) {
    if (header !== "cookie") continue;
    for (const piece of text.split(";")) {
      if (trimBlanks(piece) === "") continue;
      const [name, value] = cutPair(piece);
      pairs.push(...waysToRead([trimBlanks(name), trimBlanks(value)]));
    }
  }
  return pairs;
}

function readHeaders(attributes: RequestAttributes): Pairs {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(attributes.headers ?? {})) {
    for (const one of typeof value === "string" ? [value] : value) pairs.push([name.toLowerCase(), one]);
  }
  return pairs;
}

const CHARSETS = ["utf-8", "utf8", "us-ascii", "ascii"];
const LATIN_CHARSETS = ["iso-8859-1", "latin1", "windows-1252"];

/** The type and the charset that a `Content-Type` names; undefined: it is none. Texts in quotes are set aside first. */
function readMediaType(written: string): { readonly type: string; readonly charset: string } | undefined {
  const quoted: string[] = [];
  const plain = written.replace(/"((?:[^"\\]|\\.)*)"/g, (_all, inner: string) => {
    quoted.push(inner.replace(/\\(.)/g, "$1"));
    return `quoted-text-${quoted.length - 1}`;
  });
  if (plain.includes('"') || written.length > 512) return undefined;
  const [type = "", ...rest] = plain.split(";").map((piece) => piece.trim());
  const token = /^[-\w!#$%&'*+.^`|~/]+$/;
  if (type !== "" && !token.test(type)) return undefined;
  const names: string[] = [];
  let charset = "utf-8";
  for (const piece of rest) {
    if (piece === "") continue;
    const [name, value] = cutPair(piece).map((text) => text.trim()) as [string, string];
    if (!piece.includes("=") || !token.test(name) || names.includes(name.toLowerCase())) return undefined;
    names.push(name.toLowerCase());
    const at = /^quoted-text-(\d+)$/.exec(value)?.[1];
    if (name.toLowerCase() === "charset")
      charset = (at === undefined ? value : (quoted[Number(at)] ?? value)).toLowerCase();
  }
  return { type: type.toLowerCase(), charset };
}

/** The text that the bytes of a body are in a charset; undefined: the charset is not one that is read. */
function textIn(body: string, charset: string): string | undefined {
  const bytes = Buffer.from(body.toWellFormed(), "utf8");
  if (CHARSETS.includes(charset)) return new TextDecoder().decode(bytes);
  return LATIN_CHARSETS.includes(charset) ? new TextDecoder("windows-1252").decode(bytes) : undefined;
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** What applications read of JSON without members that are there twice, of forms and of texts. */
function readBody({ body }: RequestAttributes, headers: Pairs): Pairs {
  if (typeof body !== "string" || body === "") return [];
  const types = headers.filter(([name]) => name === "content-type").map(([, type]) => type);
  const media = types.length > 1 ? undefined : readMediaType(types[0] ?? "");
  const text = media && textIn(body, media.charset);
  if (!media || text === undefined) return [];
  const pairs: [string, string][] = [];
  const visit = (value: unknown, name: string): void => {
    if (typeof value !== "object" || value === null) pairs.push([name, String(value)]);
    else {
      for (const [key, inner] of Object.entries(value)) {
        visit(inner, Array.isArray(value) ? name : name === "" ? key : `${name}.${key}`);
      }
    }
  };
  const json = parsedJson(text);
  if (media.type === "application/json") {
    if (json === undefined) return [];
    visit(json.value, "");
  } else {
    const isForm = media.type === "application/x-www-form-urlencoded";
    const documents = [json ?? [], json ? [] : text.split("\n").map(parsedJson)].flat();
    const until = documents.findIndex((one) => typeof one?.value !== "object" || one.value === null);
    const read = documents.slice(0, until < 0 ? undefined : until);
    if (!isForm) pairs.push(["", text]);
    if (isForm || (read.length === 0 && text.includes("="))) pairs.push(...readQuery(text).flatMap(withNested));
    for (const one of read) visit(one?.value, "");
  }
  return pairs.some((pair) => pair.join("").includes("\0")) ? [] : pairs;
}

/** The host in lower case, without user, port and one trailing dot; undefined when nothing is left. */
function readHost(authority: string): string | undefined {
  let host = authority.slice(authority.lastIndexOf("@") + 1);
  const digitsFrom = host.search(/:[0-9]*$/);
  if (digitsFrom >= 0) {
    const before = host.slice(0, digitsFrom);
    const isBracketed = before.startsWith("[") && before.indexOf("]") === before.length - 1;
    if (isBracketed || !before.includes(":")) host = before;
  }
  host = host.toLowerCase();
  if (host.endsWith(".")) host = host.slice(0, -1);
  return host === "" ? undefined : host;
}

export function firstOf(pairs: Pairs, name: string): string | undefined {
  return pairs.find(([each]) => each === name)?.[1];
}

export function readRequest(attributes: RequestAttributes): NaiveRequest {
  const url = attributes.url.split("#", 1)[0] as string;
  const queryAt = url.indexOf("?");
  const beforeQuery = queryAt < 0 ? url : url.slice(0, queryAt);
  const queryText = queryAt < 0 ? "" : url.slice(queryAt + 1);
  const schemeEnd = /^[a-zA-Z][a-zA-Z0-9+.-]*:(?:\/|\\){2}/.exec(beforeQuery)?.[0];
  const behindScheme = schemeEnd === undefined ? beforeQuery : beforeQuery.slice(schemeEnd.length);
  const slashAt = behindScheme.search(/\/|\\/);
  const authority = schemeEnd === undefined ? "" : slashAt < 0 ? behindScheme : behindScheme.slice(0, slashAt);
  const rawPath = slashAt < 0 ? "/" : behindScheme.slice(slashAt);
  const path = readPath(rawPath);
  const headers = readHeaders(attributes);
  return {
    attributes,
    method: (attributes.method ?? "GET").toUpperCase(),
    scheme: schemeEnd?.slice(0, -"://".length).toLowerCase(),
    host: readHost(firstOf(headers, "host") ?? authority),
    rawPath,
    path,
    targetPath: attributes.targetPath ?? path,
    query: readQuery(queryText),
    cookies: readCookies(headers),
    headers,
    body: readBody(attributes, headers),
    userAgents: headers.filter(([name]) => name === "user-agent").map(([, agent]) => agent),
    address: attributes.ip === undefined ? undefined : parseAddress(attributes.ip),
  };
}
