// Requests of ordinary applications, and attacks: what crs-harmless.json and crs-attacks.json say, as a client would send it.
import { readFileSync } from "node:fs";

type Carrier = "query" | "form" | "json" | "multipart" | "xml" | "cookie";

interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly text?: string;
  readonly base64?: string;
}

export interface Described {
  readonly group: string;
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
  readonly base64?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly parts?: readonly Part[];
  readonly headers?: Readonly<Record<string, string>>;
}

interface Corpus {
  /** Each value in each of the places. */
  readonly texts: Readonly<Record<string, { readonly in: readonly Carrier[]; readonly values: readonly string[] }>>;
  readonly requests: readonly Described[];
}

export interface CorpusRequest {
  readonly group: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const BROWSER = {
  host: "shop.example.com",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
  accept: "text/html,application/json,*/*;q=0.8",
};
const FORM = "application/x-www-form-urlencoded";
const BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

const encodeForm = (fields: Readonly<Record<string, string>>) => new URLSearchParams(fields).toString();

/** As browsers name fields and files. */
const quoted = (name: string) => `"${name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`;

function encodeParts(parts: readonly Part[]): Buffer {
  const encoded = parts.flatMap(({ name, filename, type, text = "", base64 }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name=${quoted(name)}` +
        `${filename === undefined ? "" : `; filename=${quoted(filename)}`}\r\n` +
        `${type === undefined ? "" : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    base64 === undefined ? Buffer.from(text) : Buffer.from(base64, "base64"),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...encoded, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

function bodyOf({ body, base64, form, parts }: Described): Buffer | undefined {
  if (parts) return encodeParts(parts);
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  const text = form ? encodeForm(form) : body;
  return text === undefined ? undefined : Buffer.from(text);
}

export function encode(described: Described): CorpusRequest {
  const { group, method, path, query, parts, headers } = described;
  const type = parts ? `multipart/form-data; boundary=${BOUNDARY}` : (described.type ?? (described.form && FORM));
  const body = bodyOf(described);
  return {
    group,
    method,
    target: query ? `${path}?${encodeForm(query)}` : path,
    headers: {
      ...BROWSER,
      ...(type !== undefined && { "content-type": type }),
      ...(body && { "content-length": String(body.length) }),
      ...headers,
    },
    body: body ?? Buffer.alloc(0),
  };
}

export const escapeXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const CARRIERS: Readonly<Record<Carrier, (group: string, text: string) => Described>> = {
  query: (group, text) => ({ group, method: "GET", path: "/search", query: { q: text, page: "1" } }),
  form: (group, text) => ({ group, method: "POST", path: "/notes", form: { title: "Note", text } }),
  json: (group, text) => ({
    group,
    method: "POST",
    path: "/api/notes",
    type: "application/json",
    body: JSON.stringify({ title: "Note", text }),
  }),
  multipart: (group, text) => ({
    group,
    method: "POST",
    path: "/notes",
    parts: [
      { name: "title", text: "Note" },
      { name: "text", text },
    ],
  }),
  xml: (group, text) => ({
    group,
    method: "POST",
    path: "/api/notes",
    type: "application/xml",
    body: `<?xml version="1.0"?><note><text>${escapeXml(text)}</text></note>`,
  }),
  cookie: (group, text) => ({
    group,
    method: "GET",
    path: "/notes",
    headers: { cookie: `last=${text.replaceAll(/[;\r\n]/g, encodeURIComponent)}` },
  }),
};

function read(file: string): readonly CorpusRequest[] {
  const { texts, requests } = JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8")) as Corpus;
  const placed = Object.entries(texts).flatMap(([group, { in: carriers, values }]) =>
    carriers.flatMap((carrier) => values.map((text) => CARRIERS[carrier](`${group} (${carrier})`, text))),
  );
  return [...placed, ...requests].map(encode);
}

export const HARMLESS = read("crs-harmless.json");
export const ATTACKS = read("crs-attacks.json");
