// `xss`: markup and scripts that a page would run when it shows the value.
import { GAP, INPUT, LESS_THAN, SPACE } from "./pattern-parts.ts";
import type { SignatureSet } from "./sets.ts";

const EVENT =
  "on(?:abort|animation(?:end|start)|auxclick|beforeinput|begin|blur|change|click|contextmenu|copy|cut|dblclick|drag(?:end|enter|start)?|drop|error|focus(?:in|out)?|hashchange|input|keydown|keypress|keyup|load(?:end|start)?|message|mouse(?:down|enter|leave|move|out|over|up)|pageshow|paste|pointer(?:down|enter|over|up|rawupdate)|popstate|resize|scroll(?:end)?|search|select|submit|toggle|transition(?:end|start)|unhandledrejection|unload|wheel)";
const EQUALS = String.raw`${SPACE}*(?:=|%3d)`;

export const SCRIPTING: SignatureSet = {
  defaultAction: "log",
  signatures: [
    {
      id: "xss_script",
      summary: "A script element",
      targets: ["path", ...INPUT, "header:referer", "user_agent"],
      pattern: String.raw`${LESS_THAN}/?script(?:[\t\n\x0b\f\r />+]|%20|%3e|%09|%0a|%2f|$)`,
      literals: ["script"],
    },
    {
      id: "xss_handler",
      summary: "An element with an event handler",
      targets: ["path", ...INPUT, "header:referer", "user_agent"],
      pattern: String.raw`${LESS_THAN}[a-z!][^<>]*[\t\n\x0b\f\r /"'+]${EVENT}${EQUALS}`,
      literals: ["<", "%3c"],
    },
    {
      id: "xss_attribute",
      summary: "An event handler behind the end of an attribute",
      targets: ["path", "query_names", "query_values", "cookies"],
      pattern: String.raw`["'](?:${GAP}|/)*(?:autofocus${GAP}+|tabindex=[0-9]${GAP}+|style=[^ ]*${GAP}+)*${EVENT}${EQUALS}`,
      literals: ['"', "'"],
    },
    {
      id: "xss_address",
      summary: "A script as an address",
      targets: ["path", "query_values", "cookies"],
      pattern: String.raw`^[\x00-\x20/]*(?:java|vb|live)[\t\n\r]*script[\t\n\r]*(?::|%3a|&colon;)`,
      literals: ["script"],
    },
    {
      id: "xss_address_attribute",
      summary: "A script as the address of an element",
      targets: ["query_values", "cookies", "body"],
      pattern: String.raw`\b(?:action|background|data|formaction|href|src|xlink:href)${SPACE}*=${SPACE}*["']?[\x00-\x20]*(?:java[\t\n\r]*script|vbscript)[\t\n\r]*(?::|&colon;)|\b(?:action|data|formaction|href|src)${SPACE}*=${SPACE}*["']?data:text/html`,
      literals: ["script", "data:text/html"],
    },
    {
      id: "xss_element",
      summary: "An element that loads or draws other documents",
      targets: ["path", "query_names", "query_values"],
      pattern: String.raw`${LESS_THAN}(?:applet|base|embed|iframe|math|meta|object|svg)(?:[\t\n\x0b\f\r />+]|%20|%3e)`,
      literals: ["<", "%3c"],
    },
    {
      id: "xss_page_data",
      summary: "Script that takes the page's cookies or builds its text from codes",
      targets: ["path", ...INPUT],
      pattern: String.raw`[=(+,;:{]${SPACE}*(?:window\.|self\.|top\.)?document\.(?:cookie|domain)${SPACE}*(?:[)+;,}\x60]|$)|\bstring\.fromcharcode${SPACE}*\(${SPACE}*[0-9]|\beval${SPACE}*\(${SPACE}*(?:atob|unescape|string\.)`,
      literals: ["document.", "fromcharcode", "eval"],
    },
  ],
};
