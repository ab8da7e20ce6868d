// Headers, and the names that servers fold into them.
import { ALL, get, utf8, words } from "./kind.ts";
import type { Kind } from "./kind.ts";

const HEADERS = [
  "X-Http-Method-Override: EVIL",
  "X.Http.Method.Override: EVIL",
  "X_Http_Method_Override: EVIL",
  "X-Role: EVIL",
  "x-role:EVIL",
  "X~Role: EVIL",
  "X-Role: one\r\nX-Role: EVIL",
  "User-Agent: EVIL",
  "User-Agent: one\r\nUser-Agent: EVIL",
  "Referer: one\r\nReferer: EVIL",
  "Authorization: Bearer one\r\nAuthorization: Bearer EVIL",
  "X-A-B: EVIL",
  "X-Role: \u00c9VIL",
  utf8("X-Role: \u00c9VIL"),
  utf8("X-Role: \u0417\u041b\u041e"),
  utf8("X-Role: \u00c9") + "\u00e9VIL",
  "X-Role: =?utf-8?q?EVIL?=",
  "Amount: +5e3",
] as const;

export const headers: Kind = {
  name: "headers",
  readers: ALL,
  seeds: HEADERS.map((header) => get("", header)),
  sections: ["head"],
  tokens: [
    ...words("- _ . ! # $ % & ' * + ^ ` | ~ : , ; \" ( / @ [ X- Role"),
    " ",
    "\t",
    "\\",
    "\r\nX-Role: EVIL",
    "\r\nx.role: EVIL",
    "\r\n ",
    "\n",
    "\r",
    "\x01",
    "\x7f",
    "\xad",
    "\u00e9",
    utf8("\u00e9"),
    utf8("\u017f"),
    utf8("\u212a"),
  ],
};
