// What the readers of each kind of body work with: values with names, texts of bytes, and the way out for what cannot be read.
import { countStep } from "../time-limit.ts";
import { fieldNames, hasOtherNames } from "./field-names.ts";

export type NamedValue = readonly [name: string, value: string];

/** The body is not what its headers say: the message is what was found, such as `it is not JSON`. */
export class UndecodableError extends Error {
  override readonly name = "UndecodableError";
}

/** Names repeat those around them: without a bound a small body could have values with gigabytes of names. */
const MAX_NAME_LENGTH = 512;

function refuseName(): never {
  throw new UndecodableError(`a name has more than ${MAX_NAME_LENGTH} characters`);
}

/** The name of what is inside of something that has a name itself. */
export function joinNames(outer: string | undefined, name: string): string {
  const joined = outer ? `${outer}.${name}` : name;
  if (joined.length > MAX_NAME_LENGTH) refuseName();
  return joined;
}

/** What applications send has fewer, and each is compared with every rule. */
const MAX_VALUES = 10_000;

/** The most other names of all fields together. */
const MAX_OTHER_NAMES = 50_000;

/** What takes values with names. */
export interface Named {
  /** Fields whose name is longer are refused, if they have another name. */
  readonly maxNameLength: number;
  /** `isOther`: the value has been added at another name. */
  add(name: string, value: string, isOther?: boolean): void;
}

/** Adds a field of a form or a query at all of its names. */
export function addField(values: Named, name: string, value: string): void {
  if (!hasOtherNames(name)) return values.add(name, value);
  if (name.length > values.maxNameLength) refuseName();
  let isOther = false;
  for (const one of fieldNames(name)) {
    values.add(one, value, isOther);
    isOther = true;
  }
}

/** The values of one body. */
export class ValueList implements Named {
  readonly all: NamedValue[] = [];
  readonly maxNameLength = MAX_NAME_LENGTH;
  #otherNames = 0;

  add(name: string, value: string, isOther = false): void {
    countStep();
    if (isOther && ++this.#otherNames > MAX_OTHER_NAMES)
      throw new UndecodableError(`its fields have more than ${MAX_OTHER_NAMES} names`);
    if (this.all.length - this.#otherNames >= MAX_VALUES)
      throw new UndecodableError(`it has more than ${MAX_VALUES} values`);
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
