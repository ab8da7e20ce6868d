// The values that conditions compare, written from docs/firewall.md alone and without regard to speed.
import type { RequestAttributes } from "../../../src/firewall/evaluator/request/attributes.ts";
import { parseAddress, type NaiveAddress } from "./address.ts";
import { readBody } from "./body.ts";
import { readCookie, readFields, type Pairs } from "./fields.ts";
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
  readonly isBodyUnreadable: boolean;
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

/** Reads at the first call. */
function once<T>(read: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => (known ??= { value: read() }).value;
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
  // Most conditions ask for none of these, and reading them would take half of the time of an agreement.
  const query = once(() =>
    [queryText, ...(queryText[0] === "?" ? [queryText.slice(queryText.search(/[^?]|$/))] : [])]
      .flatMap(readHead)
      .flatMap((text) => readFields(text, { splitsSemicolons: true })),
  );
  const cookies = once(() => headers.filter(([name]) => name === "cookie").flatMap(([, text]) => readCookie(text)));
  const body = once(() => readBody(attributes, headers));
  return {
    attributes,
    method: (attributes.method ?? "GET").toUpperCase(),
    scheme: schemeEnd?.slice(0, -"://".length).toLowerCase(),
    host: readHost(firstOf(headers, "host") ?? authority),
    rawPaths: readHead(rawPath),
    paths,
    targetPaths: attributes.targetPath === undefined ? paths : [attributes.targetPath],
    headers,
    get query() {
      return query();
    },
    get cookies() {
      return cookies();
    },
    get body() {
      return body() ?? [];
    },
    get isBodyUnreadable() {
      return body() === undefined;
    },
    userAgents: headers.filter(([name]) => name === "user-agent").map(([, agent]) => agent),
    address: attributes.ip === undefined ? undefined : parseAddress(attributes.ip),
  };
}
