// The values that conditions compare, written from docs/firewall.md alone and without regard to speed.
import type { RequestAttributes } from "../../../src/evaluator/request/attributes.ts";
import { parseAddress, type NaiveAddress } from "./address.ts";
import { cutPair, readCookie, readFields, type Pairs } from "./fields.ts";
import { readHead } from "./heads.ts";

export interface NaiveRequest {
  readonly attributes: RequestAttributes;
  readonly method: string;
  readonly scheme: string | undefined;
  readonly host: string | undefined;
  readonly rawPaths: readonly string[];
  readonly paths: readonly string[];
  readonly targetPaths: readonly string[];
  readonly query: Pairs;
  readonly cookies: Pairs;
  readonly body: Pairs;
  readonly headers: Pairs;
  readonly userAgents: readonly string[];
  readonly address: NaiveAddress | undefined;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

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

function readHeaders(attributes: RequestAttributes): Pairs {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(attributes.headers ?? {})) {
    for (const one of typeof value === "string" ? [value] : value)
      pairs.push(...readHead(one).map((text) => [name.toLowerCase(), text] as [string, string]));
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

/** A number with the text that it was written as. */
class Written {
  readonly texts: readonly string[];

  constructor(value: number, source: string) {
    this.texts = [source, String(value)];
  }
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    const withSource = (_key: string, value: unknown, { source = "" }: { readonly source?: string }) =>
      typeof value === "number" ? new Written(value, source) : value;
    return { value: JSON.parse(text, withSource as Parameters<typeof JSON.parse>[1]) };
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
  const json = parsedJson(text);
  if (media.type === "application/json") {
    if (json === undefined) return [];
    visit(json.value, "");
  } else {
    const isForm = media.type === "application/x-www-form-urlencoded";
    const documents = [json ?? [], json ? [] : text.split("\n").map(parsedJson)].flat();
    const until = documents.findIndex(
      (one) => typeof one?.value !== "object" || one.value === null || one.value instanceof Written,
    );
    const read = documents.slice(0, until < 0 ? undefined : until);
    if (!isForm) pairs.push(["", text]);
    if (isForm || (read.length === 0 && text.includes("="))) pairs.push(...readFields(text));
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
  const paths = readHead(rawPath).map(readPath);
  const headers = readHeaders(attributes);
  return {
    attributes,
    method: (attributes.method ?? "GET").toUpperCase(),
    scheme: schemeEnd?.slice(0, -"://".length).toLowerCase(),
    host: readHost(firstOf(headers, "host") ?? authority),
    rawPaths: readHead(rawPath),
    paths,
    targetPaths: attributes.targetPath === undefined ? paths : [attributes.targetPath],
    query: readHead(queryText).flatMap((text) => readFields(text)),
    cookies: headers.filter(([name]) => name === "cookie").flatMap(([, text]) => readCookie(text)),
    headers,
    body: readBody(attributes, headers),
    userAgents: headers.filter(([name]) => name === "user-agent").map(([, agent]) => agent),
    address: attributes.ip === undefined ? undefined : parseAddress(attributes.ip),
  };
}
