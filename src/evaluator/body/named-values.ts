// What the readers of each kind of body work with: values with names, texts of bytes, and the way out for what cannot be read.
import { countStep } from "../time-limit.ts";

export type NamedValue = readonly [name: string, value: string];

/** The body is not what its headers say: the message is what was found, such as `it is not JSON`. */
export class UndecodableError extends Error {
  override readonly name = "UndecodableError";
}

/** Names repeat those around them: without a bound a small body could have values with gigabytes of names. */
const MAX_NAME_LENGTH = 512;

/** The name of what is inside of something that has a name itself. */
export function joinNames(outer: string | undefined, name: string): string {
  const joined = outer ? `${outer}.${name}` : name;
  if (joined.length > MAX_NAME_LENGTH) throw new UndecodableError(`a name has more than ${MAX_NAME_LENGTH} characters`);
  return joined;
}

/** What applications send has fewer, and each is compared with every rule. */
const MAX_VALUES = 10_000;

/**
 * What applications with nested forms call a field: `a[b]` is `b` within `a`, and `a[]` or `a[0]` is an item of `a`. PHP drops spaces before
 * a name, and a NUL with what follows it.
 */
function nestedName(given: string): string {
  const name =
    given.startsWith(" ") || given.includes("\0") ? (given.split("\0", 1)[0] as string).replace(/^ +/, "") : given;
  if (!name.includes("[")) return name;
  const nested = name.replaceAll(/\[([^[\]]*)\]/g, (_, key: string) => (/^\d*$/.test(key) ? "" : `.${key}`));
  return nested.startsWith(".") ? nested.slice(1) : nested;
}

/** What takes values with names. */
export interface Named {
  add(name: string, value: string): void;
}

/** Adds a field of a form or a query at both of its names: the one that was sent, and the one that applications give it. */
export function addField(values: Named, name: string, value: string): void {
  values.add(name, value);
  const nested = nestedName(name);
  if (nested !== name) values.add(nested, value);
}

/** The values of one body. */
export class ValueList {
  readonly all: NamedValue[] = [];

  add(name: string, value: string): void {
    countStep();
    if (this.all.length >= MAX_VALUES) throw new UndecodableError(`it has more than ${MAX_VALUES} values`);
    this.all.push([name, value]);
  }
}

/** Those of the Encoding Standard that every letter of ASCII is itself in; UTF-16 and UTF-7 hide what is written. */
const CHARSETS: Readonly<Record<string, string>> = {
  "utf-8": "utf-8",
  utf8: "utf-8",
  "us-ascii": "utf-8",
  ascii: "utf-8",
  "iso-8859-1": "windows-1252",
  latin1: "windows-1252",
  "windows-1252": "windows-1252",
};

/** What names of charsets and encodings look like. Messages repeat nothing else of what a client wrote. */
const NAME = /^[\w.:+-]{1,40}$/;

export function nameOrNone(text: string): string {
  return NAME.test(text) ? text : "no name of one";
}

/** The encoding of a charset; different names may mean the same. */
export function encodingOf(charset: string): string {
  const name = charset.toLowerCase();
  if (!Object.hasOwn(CHARSETS, name))
    throw new UndecodableError(`its charset is ${nameOrNone(charset)}, which is not read`);
  return CHARSETS[name] as string;
}

export function decodeText(bytes: Uint8Array, charset = "utf-8"): string {
  const label = encodingOf(charset);
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new UndecodableError(`it is not ${label}`);
  }
}
