// What the readers of each kind of body work with: values with names, texts of bytes, and the way out for what cannot be read.

export type NamedValue = readonly [name: string, value: string];

/** The body is not what its headers say. */
export class UndecodableError extends Error {
  override readonly name = "UndecodableError";
}

/** Names repeat those around them: without a bound a small body could have values with gigabytes of names. */
const MAX_NAME_LENGTH = 512;

/** The name of what is inside of something that has a name itself. */
export function joinNames(outer: string | undefined, name: string): string {
  const joined = outer ? `${outer}.${name}` : name;
  if (joined.length > MAX_NAME_LENGTH) throw new UndecodableError("a name that is too long");
  return joined;
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

export function decodeText(bytes: Uint8Array, charset = "utf-8"): string {
  const label = CHARSETS[charset.toLowerCase()];
  if (label === undefined) throw new UndecodableError(`the charset ${charset}`);
  try {
    return new TextDecoder(label, { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new UndecodableError(`no ${label}`);
  }
}
