// XML, under its own types and under others.
import { post, utf8, words } from "./kind.ts";
import type { Kind } from "./kind.ts";

const DECLARED = '<?xml version="1.0" encoding="utf-8"?>';
const TEXTS = [
  "<user><role>EVIL</role></user>",
  `${DECLARED}<user><role>EVIL</role></user>`,
  '<user role="x"><role>x<b/>EVIL</role></user>',
  "<user><role>EV<!-- -->IL</role></user>",
  "<user><role>EV<b/>IL</role></user>",
  "<<user><role>EV<!-- -->IL</role></user>",
  "< user><role>EV<!-- -->IL</role></user>",
  "<user><role><![CDATA[EVIL]]></role></user>",
  "<user><role>&#x45;VIL</role></user>",
  "<user><role>EV<?a b?>IL</role></user>",
  '<a:user xmlns:a="urn:x"><a:role>EVIL</a:role></a:user>',
  '<user xmlns="urn:x"><role>EVIL</role></user>',
  "<user><role>EVIL<!-- -->x</role></user>",
  "<user><role>x<![CDATA[EVIL]]>x</role></user>",
  '<user role="EVIL"/>',
  '<user role=" EVIL "/>',
  '<user role="x\nEVIL"/>',
  "<user role='&#69;VIL'/>",
  '<!DOCTYPE user [<!ENTITY e "EVIL">]><user><role>&e;</role></user>',
  '<?xml version="1.0" encoding="iso-8859-1"?><comment>\u00c9VIL</comment>',
  utf8(`${DECLARED}<comment>\u00c9VIL</comment>`),
  '<?xml version="1.0" encoding="utf-16"?><comment>EVIL</comment>',
  "<user>\n <role> EVIL </role>\n</user>",
  "<amount> 5e3 </amount>",
  '<user><role>a</role><role a="1">EVIL</role></user>',
] as const;

const TYPES = [
  "application/xml",
  "text/xml",
  "application/soap+xml; charset=utf-8",
  "text/plain",
  "",
  "application/octet-stream",
  "text/xml; charset=iso-8859-1",
];

export const xml: Kind = {
  name: "XML",
  readers: ["Django", "Rack", "Express"],
  seeds: TEXTS.flatMap((text) => TYPES.map((type) => post(type, text))),
  sections: ["body", "body", "body", "head"],
  tokens: [
    ...words(
      "< > / & &amp; &lt; &#69; &#x45; &e; <b> </b> <b/> <!-- --> <![CDATA[ ]]> <? ?> <role> </role> <user> </user> EVIL",
    ),
    ...words("x: xmlns =\" \" ' = : a=' encoding='utf-7' { } [ . @ -"),
    "<!DOCTYPE a>",
    '<?xml version="1.0"?>',
    "; charset=utf-16",
    " ",
    "\n",
    "\r",
    "\t",
    "\0",
    "\x0b",
    "\u00e9",
    utf8("\u00e9"),
    utf8("\ufeff"),
    utf8("\u2028"),
  ],
};
