// JSON, under its own types and under others.
import { ALL, FORM, post, utf8, words } from "./kind.ts";
import type { Kind } from "./kind.ts";

const TEXTS = [
  '{"role":"EVIL"}',
  '{"user":{"role":"EVIL"}}',
  '{"user":[{"role":"EVIL"}]}',
  '{"user.role":"EVIL"}',
  '{"role":"one","role":"EVIL"}',
  String.raw`{"r\u006fle":"\u0045VIL"}`,
  '{"role":"EVIL","x":NaN}',
  '{"role":"EVIL","x":-Infinity}',
  '[{"role":"EVIL"}]',
  '{"role":"EVIL"}\n{"a":1}',
  '{"a":1}\n{"role":"EVIL"}',
  utf8('\ufeff{"role":"EVIL"}'),
  utf8('{"role":"\u00c9VIL"}'),
  Buffer.from('{"role":"EVIL"}', "utf16le").toString("latin1"),
  Buffer.from('\ufeff{"role":"EVIL"}', "utf16le").toString("latin1"),
  '{"a":{"0":"EVIL"}}',
  '{"amount":1e6}',
  '{"amount":5000}',
  '{"amount":"+5e3"}',
  '{"amount":5E3}',
  '{"amount":500000e-2}',
  '{"amount":123456789012345678901234567890}',
  '{"role":"EVIL",}',
  '{"role":"EVIL"/* */}',
  "{'role':'EVIL'}",
  'role={"role":"EVIL"}',
] as const;

const TYPES = [
  "application/json",
  "text/plain",
  "",
  FORM,
  "application/json; charset=iso-8859-1",
  "application/vnd.api+json",
  "application/octet-stream",
  "text/html",
  "application/json; charset=utf-16",
];

export const json: Kind = {
  name: "JSON",
  readers: ALL,
  seeds: TEXTS.flatMap((text) => TYPES.map((type) => post(type, text))),
  sections: ["body", "body", "body", "head"],
  tokens: [
    ...words(
      String.raw`, : " { } [ ] \ \u0045 \/ \" \ud800 \u0000 0 1e3 - + . e E+6 Infinity NaN null true /* */ // # ' = ; <`,
    ),
    ...words('"role":"EVIL" ,"role":"EVIL" "x":1, &role=EVIL __proto__'),
    " ",
    "\n",
    "\t",
    "\r",
    "\0",
    "\x0b",
    "\x0c",
    "\xa0",
    utf8("\u2028"),
    utf8("\ufeff"),
    "\u00e9",
    utf8("\u00e9"),
    ")]}',\n",
    "; charset=utf-16",
  ],
};
