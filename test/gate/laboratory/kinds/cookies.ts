// Cookies, as browsers send them and as servers read them.
import { ALL, get, utf8, words } from "./kind.ts";
import type { Kind } from "./kind.ts";

const COOKIES = [
  "role=EVIL",
  "a=1; role=EVIL",
  'role="EVIL"',
  "role=%45VIL",
  "role[]=EVIL",
  "user[role]=EVIL",
  "user.role=EVIL",
  "role=one; role=EVIL",
  String.raw`role="\105VIL"`,
  "a=1,role=EVIL",
  "comment=x+EVIL",
  'comment="a; role=EVIL"',
  "role =EVIL",
  "amount=0x1388",
  "comment=%C3%89VIL",
  utf8("comment=\u00c9VIL"),
] as const;

export const cookies: Kind = {
  name: "cookies",
  readers: ALL.filter((name) => name !== "formidable"),
  seeds: [
    ...COOKIES.map((cookie) => get("", `Cookie: ${cookie}`)),
    get("", "Cookie: a=1\r\nCookie: role=EVIL"),
    get("", "Cookie: $Version=1; role=EVIL; $Path=/"),
  ],
  sections: ["head"],
  tokens: [
    ...words(
      String.raw`; = , " ' \ [ ] [] [0] [a] . _ + $ * ( { | / : @ & role user comment role= =x __proto__ j: s: \105 \\`,
    ),
    ...words("%20 %5B %5D %22 %3B %3D %00 %45 %25 %zz %C3%A9 %E9"),
    " ",
    "\t",
    "; ",
    "; role=EVIL",
    "\u00a0",
    "\u00e9",
    utf8("\u00e9"),
    utf8("\ufeff"),
    "\x0b",
    "\x7f",
    "\r\nCookie: ",
  ],
};
