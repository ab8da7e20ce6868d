// Whole requests of clients, made of what was recorded of them.
import type { RawRequest } from "../raw-request.ts";
import { RECORDED_FORMS } from "./recorded-forms.ts";
import type { RecordedForm } from "./recorded-forms.ts";
import { RECORDED_COOKIES, RECORDED_HEADS, RECORDED_QUERIES } from "./recorded-heads.ts";

const PICTURE = "\xff\xd8\xff\xe0\0\x10JFIF\0\x01--\r\n\xff\xd9";
const utf8 = (text: string) => Buffer.from(text).toString("latin1");

/** A form with three fields and two files. */
function formRequest({
  type,
  boundary,
  field,
  file,
  start = "",
  end = "\r\n",
  isAscii = false,
}: RecordedForm): RawRequest {
  const part = (head: string, name: string, content: string, filename = "") =>
    `--${boundary}\r\n${head}\r\n\r\n`
      .replaceAll("FILENAME", filename)
      .replaceAll("NAME", name)
      .replace("LENGTH", String(content.length)) + `${content}\r\n`;
  const text = isAscii ? '3 < 4 & it\'s "fine"\r\n100%' : utf8('Gr\u00fc\u00dfe: 3 < 4 & it\'s "fine"\r\n100%');
  const parts = [
    part(field, "comment", text),
    part(field, "user_role", "guest"),
    part(field, "empty", ""),
    part(file, "photo", PICTURE, "receipt.jpg"),
    part(file, "notes", "a=1; b\n", "notes.txt"),
  ];
  return {
    method: "POST",
    query: "",
    head: `Content-Type: ${type}`,
    body: `${start}${parts.join("")}--${boundary}--${end}`,
  };
}

const visit = (head: readonly string[], query = "", cookie?: string): RawRequest => ({
  method: "GET",
  query,
  head: [...head, ...(cookie === undefined ? [] : [`Cookie: ${cookie}`])].join("\r\n"),
  body: "",
});

export const RECORDED_REQUESTS: readonly (readonly [client: string, request: RawRequest])[] = [
  ...RECORDED_FORMS.map((form) => [`${form.client} sends a form`, formRequest(form)] as const),
  ...Object.entries(RECORDED_HEADS).map(([client, head]) => [client, visit(head)] as const),
  ...RECORDED_COOKIES.map((cookie) => [cookie, visit([], "", cookie)] as const),
  ...RECORDED_QUERIES.map((query) => [query, visit([], query.slice(1))] as const),
];
