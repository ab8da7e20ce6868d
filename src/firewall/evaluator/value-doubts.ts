// Values of conditions that no request has, or that mean something else than it seems, as data by the type of the condition. They are
// stored, because existing clients send them: the API, the console and the command line warn about them.
import type { Condition, ConditionType, Operator } from "./config.ts";
import { LISTS } from "./condition-types.ts";

interface ValueDoubt {
  readonly types: readonly ConditionType[];
  readonly operators: readonly Operator[];
  readonly pattern: RegExp;
  /** What a value that has the pattern is: `"admin" ...`. */
  readonly text: string;
}

const WHOLE = ["eq", "neq", "inc", "ninc", "list"] as const;
const PLAIN = [...WHOLE, "pre", "suf", "sub"] as const;
const HEADS = ["header", "user_agent"] as const;

const NONE = "is in no request, because";

const NO_PATH = `${NONE} paths are read in one normal form; the type raw_path reads them as sent`;
const NO_HOST = `${NONE} a host is a name without scheme, port and path`;

const DOUBTS: readonly ValueDoubt[] = [
  {
    types: ["path", "raw_path"],
    operators: [...WHOLE, "pre"],
    pattern: /^[^/]/,
    text: `${NONE} a path begins with /`,
  },
  {
    types: ["path", "raw_path", "target_path"],
    operators: ["re"],
    // Behind ^ a character that means itself, and that may not be absent.
    pattern: /^(?:\(\?-?[is]+\))?\^[\w~-](?![?*{])[^|]*$/,
    text: `${NONE} a path begins with /: write ^/`,
  },
  {
    types: ["path"],
    operators: PLAIN,
    pattern: /\/\/|;|%[0-9a-f]{2}|\\|\/\.\.?\//i,
    text: NO_PATH,
  },
  {
    types: ["path"],
    operators: [...WHOLE, "suf"],
    pattern: /\/\.\.?$/,
    text: NO_PATH,
  },
  {
    types: ["path"],
    operators: PLAIN,
    pattern: /\?/,
    text: "has a ?, and a path ends before the first one: the type query reads parameters",
  },
  {
    types: ["raw_path"],
    operators: PLAIN,
    pattern: /[?#\s]/,
    text: `${NONE} a path as sent has no space, ? and #: a space is %20, and the type query reads parameters`,
  },
  { types: ["host"], operators: ["suf"], pattern: /[/@\s]|:\d*$/, text: NO_HOST },
  // The end of an IPv6 address is no port.
  { types: ["host"], operators: ["pre", "sub"], pattern: /[/@\s]|[g-z.][^:[]*:\d*$/i, text: NO_HOST },
  {
    types: HEADS,
    operators: PLAIN,
    pattern: /[\r\n\0]/,
    text: `${NONE} a header has no line end and no NUL`,
  },
  { types: HEADS, operators: [...WHOLE, "pre"], pattern: /^[ \t]/, text: `${NONE} a header begins with no space` },
  { types: HEADS, operators: [...WHOLE, "suf"], pattern: /[ \t]$/, text: `${NONE} a header ends with no space` },
  {
    types: ["ja3_digest"],
    operators: WHOLE,
    pattern: /^(?![\da-f]{32}$)/i,
    text: `${NONE} a JA3 digest has 32 hexadecimal digits`,
  },
  {
    types: ["ja4_digest"],
    operators: WHOLE,
    pattern: /^(?!\w{10}_[\da-f]{12}_[\da-f]{12}$)/i,
    text: `${NONE} a JA4 digest is such as t13d1516h2_8daaf6152771_e5627efa2ab1`,
  },
];

/** Characters of a header's name. RFC 9110, 5.6.2 */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

export interface Doubt {
  readonly member: "key" | "value";
  readonly text: string;
}

/** A value in the words of a warning. */
const quoted = (value: string): string => JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);

/** The shortest form of an address, by what browsers have too; empty: the text is none. */
function shortest(address: string): string {
  const url = `http://${address.includes(":") ? `[${address}]` : address}`;
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: "" };
  return hostname.replace(/^\[|\]$/g, "");
}

/** The parts of an address in its shortest form. */
function partsOf(address: string): number[] {
  if (!address.includes(":")) return address.split(".").map(Number);
  const [head = [], tail = []] = address.split("::").map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...zeros, ...tail].map((group) => parseInt(group, 16));
}

/** A part of an IPv4 address has no zero before it: some programs read it as octal. */
const NETWORK = /^((?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){3}|[\da-f:.]*:[\da-f:.]*)\/(\d{1,3})$/i;

/** What a network such as `10.1.2.3/8` covers; null: it has no bit behind its prefix, or is none. */
function coveredBy(text: string): string | null {
  const [, address = "", prefix = ""] = NETWORK.exec(text) ?? [];
  const parts = partsOf(shortest(address));
  const size = address.includes(":") ? 16 : 8;
  const whole = 2 ** size - 1;
  const kept = parts.map((part, at) => part & ~(whole >> Math.min(size, Math.max(0, Number(prefix) - at * size))));
  if (prefix === "" || Number(prefix) > parts.length * size || kept.every((part, at) => part === parts[at]))
    return null;
  return `${shortest(size === 8 ? kept.join(".") : kept.map((part) => part.toString(16)).join(":"))}/${prefix}`;
}

/** Of a network such as `10.1.2.3/8`: what it covers. */
function networkDoubts({ type, value }: Condition): Doubt[] {
  const texts = type === "ip_address" && value !== undefined ? [value].flat().map(String) : [];
  return texts.flatMap((text) => {
    const covered = coveredBy(text);
    return covered === null ? [] : [{ member: "value", text: `${quoted(text)} is all of ${covered}` }];
  });
}

/** What is probably not meant by a condition, of its members by name. */
export function valueDoubts(condition: Condition): Doubt[] {
  const { type, op, key, value } = condition;
  const found = networkDoubts(condition);
  if (type === "header" && key !== undefined && !TOKEN.test(key)) {
    found.push({ member: "key", text: `${quoted(key)} is the name of no header, which has no spaces and no colon` });
  }
  if (typeof value === "string" && LISTS.has(op) && value.includes(",")) {
    found.push({ member: "value", text: `${quoted(value)} is one value: write several as a list of JSON` });
  }
  const relevant = DOUBTS.filter(({ types, operators }) => types.includes(type) && operators.includes(op));
  if (relevant.length === 0 || value === undefined) return found;
  for (const one of typeof value === "object" ? value : [value]) {
    const doubt = relevant.find(({ pattern }) => pattern.test(String(one)));
    if (doubt) found.push({ member: "value", text: `${quoted(String(one))} ${doubt.text}` });
  }
  return found;
}
