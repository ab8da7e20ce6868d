// Fields of queries and forms, in the words of frameworks that unfold them.
import { deflateSync, gzipSync } from "node:zlib";
import { ALL, FORM, get, post, utf8, words } from "./kind.ts";
import type { Kind } from "./kind.ts";

const PAIRS = [
  "role=EVIL",
  "user.role=EVIL",
  "user[role]=EVIL",
  "role[]=EVIL",
  "role[0]=EVIL",
  "role[]x=EVIL",
  "user[role]]=EVIL",
  "user[[role]=EVIL",
  "user[0][role]=EVIL",
  "user_role=EVIL",
  "user[role=EVIL",
  "a%5Bb%5D=EVIL",
  "a=1&b=2;role=EVIL",
  "role=one&role=EVIL",
  "comment=x%45VIL",
  "comment=%C3%89VIL",
  "comment=%C9VIL",
  utf8("comment=\u00c9VIL"),
  "comment=a+EVIL%00",
  "amount=5000",
  "amount=%2B5000",
  "amount=1e6",
  "amount=0x1388",
  "amount=5_000",
  "amount=+5000.0+",
  "amount=Infinity",
  utf8("amount=\u0665\u0660\u0660\u0660"),
] as const;

const TOKENS: readonly string[] = [
  ...words(
    String.raw`& = ; [ ] [] [0] [a] . _ + ' " \ * ( ) , - | ~ $ @ : / ? { } < role user comment a b __proto__ role= &role=EVIL x=1&`,
  ),
  ...words("%20 %00 %5B %5D %2E %26 %3D %3B %255B %25 %C0%AE %E9 %zz %u0045"),
  " ",
  "\t",
  "\r\n",
  "\0",
  "\u00e9",
  utf8("\u00e9"),
  utf8("\ufeff"),
];

const inTarget = (token: string) => !/[ \t\r\n\0#]/.test(token);

export const queries: Kind = {
  name: "queries",
  readers: ALL.filter((name) => name !== "formidable"),
  seeds: [...PAIRS.map((pair) => get(pair)), get("?role=EVIL")],
  sections: ["query"],
  tokens: TOKENS.filter(inTarget),
};

const TYPES = [
  FORM,
  `${FORM}; charset=utf-8`,
  `${FORM};charset=iso-8859-1`,
  "Application/X-WWW-Form-Urlencoded",
  "text/plain",
  "",
  "application/octet-stream",
];

export const forms: Kind = {
  name: "forms",
  readers: ALL,
  seeds: [
    ...PAIRS.flatMap((pair) => TYPES.map((type) => post(type, pair))),
    ...["PUT", "PATCH", "DELETE", "GET"].map((method) => ({ ...post(FORM, "role=EVIL"), method })),
    post(`text/plain\r\nContent-Type: ${FORM}`, "role=EVIL"),
    post(`${FORM}\r\nContent-Type: text/plain`, "role=EVIL"),
    post(`${FORM}\r\nContent-Encoding: gzip`, gzipSync("role=EVIL").toString("latin1")),
    post(`${FORM}\r\nContent-Encoding: deflate`, deflateSync("role=EVIL").toString("latin1")),
  ],
  sections: ["body", "body", "body", "head"],
  tokens: [
    ...TOKENS,
    "; charset=",
    "utf-7",
    "utf-16",
    "ibm037",
    "\r\nContent-Type: text/plain",
    "\r\nContent-Encoding: identity",
  ],
};
