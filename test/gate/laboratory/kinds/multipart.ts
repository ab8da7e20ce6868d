// Bodies of multipart/form-data: their type, their parts, and the heads of these.
import { ALL, utf8, words } from "./kind.ts";
import type { Kind } from "./kind.ts";
import type { RawRequest } from "../raw-request.ts";

const DISPOSITION = "Content-Disposition: form-data;";

const whole = (type: string, body: string): RawRequest => ({
  method: "POST",
  query: "",
  head: `Content-Type: ${type}`,
  body,
});
const parts = (type: string, ...written: string[]) =>
  whole(type, `${written.map((part) => `--A\r\n${part}\r\n`).join("")}--A--\r\n`);
const TYPE = "multipart/form-data; boundary=A";
const field = (name: string, value = "EVIL") => `${DISPOSITION} name=${name}\r\n\r\n${value}`;

const HEADS = [
  'name="comment"',
  "name=comment",
  "name='comment'",
  'name="user[role]"',
  'name="role[]"',
  String.raw`name="comm\ent"`,
  String.raw`name="a\"b"; name="comment"`,
  'name="x"; name="comment"',
  "name*=utf-8''comment",
  "name=\"x\"; name*=utf-8''comment",
  'name*0="com"; name*1="ment"',
  'name="comment"; filename="a.txt"',
  'name="comment"; filename="EVIL"',
  "name=\"comment\"; filename=a.jpg; filename*=utf-8''EVIL.jpg",
  "name=\"comment\"; filename*=utf-8''EVIL.jpg",
  "name=\"comment\"; filename=EVIL.jpg; filename*=utf-8'en'EVIL.jpg",
  'name="comment"; filename="a/EVIL/"',
  String.raw`name="comment"; filename="C:\x\EVIL"`,
  'name="comment"; filename=""',
  'name="comment"; filename="a;b.txt"',
  'name="comment" ; filename = "a"',
  'name="%63omment"',
] as const;

export const multipart: Kind = {
  name: "multipart",
  readers: ALL.filter((name) => name !== "Fastify"),
  seeds: [
    ...HEADS.map((head) => parts(TYPE, `${DISPOSITION} ${head}\r\n\r\nEVIL`)),
    parts(`${TYPE}; boundary*=utf-8''B`, field('"x"', `1\r\n--B\r\n${field('"comment"')}\r\n--B--`)),
    parts(`${TYPE}, B`, field('"comment"')),
    whole('multipart/form-data; boundary="A"', `--A\r\n${field('"comment"')}\r\n--A--\r\n`),
    whole("multipart/form-data; boundary='A'", `--'A'\r\n${field('"comment"')}\r\n--'A'--\r\n`),
    whole("multipart/form-data; boundary=A;B", `--A\r\n${field('"comment"')}\r\n--A--\r\n`),
    whole("multipart/form-data; boundary=A B", `--A B\r\n${field('"comment"')}\r\n--A B--\r\n`),
    whole(TYPE, `preamble\r\n--A\r\n${field('"comment"')}\r\n--A--\r\nepilogue`),
    whole(TYPE, `--A\n${field('"comment"').replaceAll("\r", "")}\n--A--\n`),
    parts(TYPE, `${DISPOSITION} name="comment"\r\nContent-Transfer-Encoding: base64\r\n\r\nRVZJTA==`),
    parts(TYPE, `${DISPOSITION} name="comment"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=45VIL`),
    parts(TYPE, `${DISPOSITION} name="comment"\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\nE\0V\0I\0L\0`),
    parts(TYPE, `${DISPOSITION} name="comment"\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n\u00c9VIL`),
    parts(TYPE, `${DISPOSITION} name="_charset_"\r\n\r\niso-8859-1`, field('"comment"', "\u00c9VIL")),
    parts(TYPE, `Content-Type: text/plain\r\n${field('"comment"')}`),
    parts(TYPE, `Content-Transfer-Encoding: 8bit\r\n${field('"comment"')}`),
    parts(TYPE, `Content-Type: text/plain; name=x; filename=EVIL\r\n${field('"comment"; filename=a')}`),
    parts(TYPE, `Content-Type: text/plain; name=EVIL\r\n${field('"comment"; filename=EVIL')}`),
    parts(TYPE, `X: y; filename=EVIL\r\n${field('"comment"; filename=a')}`),
    parts(TYPE, `${DISPOSITION}\r\n name="comment"\r\n\r\nEVIL`),
    parts(TYPE, `Content-Type: application/json\r\n${field('"user"', '{"role":"EVIL"}')}`),
    parts(TYPE, field('"x"', "1"), field('"comment"', utf8("\u00c9VIL"))),
    parts(TYPE, field("amount", " +5_000 ")),
    parts("multipart/mixed; boundary=A", field('"comment"')),
    parts("Multipart; boundary=A", field('"comment"')),
    parts("text/plain; x=multipart; boundary=A", field('"comment"')),
    parts(TYPE, `${DISPOSITION} name="comment"; filename="a"\r\n\r\n\xffEVIL`),
    parts("multipart/related; boundary=A", field('"comment"')),
    parts(
      TYPE,
      `${DISPOSITION} name="comment"\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\nContent-Disposition: file; filename="EVIL"\r\n\r\nEVIL\r\n--B--`,
    ),
  ],
  sections: ["body", "body", "body", "head"],
  tokens: [
    ...words(String.raw`" ' ; = \ \" * *=utf-8'' *0= %22 %0D%0A %5B , : / ( - -- [ ] [] + ? --A --A-- --B A B`),
    ...words('name name=comment name="comment" filename= form-data attachment file comment role EVIL'),
    "\r\n",
    "\n",
    "\r",
    "\0",
    "\r\n\r\n",
    "\n\n",
    "\r\n--A\r\n",
    "\r\n--A--\r\n",
    " ",
    "\t",
    "\x0b",
    "\x0c",
    "\x85",
    "; ",
    "; filename=a",
    "; boundary=B",
    "; charset=utf-16",
    "; charset=iso-8859-1",
    "; charset=utf-7",
    "Content-Disposition: ",
    "Content-Type: text/plain",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: 8bit\r\n",
    "; name=x; filename=EVIL",
    "\u00e9",
    utf8("\u00e9"),
    utf8("\ufeff"),
  ],
};
