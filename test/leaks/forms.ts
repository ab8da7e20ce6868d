// The encodings in which a secret could leak, and the search for them.

export interface Needle {
  /** The name of the secret, and its encoding. */
  readonly form: string;
  readonly bytes: Buffer;
}

export interface Hit {
  readonly place: string;
  readonly form: string;
  /** The bytes around it. */
  readonly context: string;
}

/** The base64 texts of bytes at each of the three places of a group, without the characters that share bits. */
function base64At(bytes: Buffer): string[] {
  return [0, 1, 2].map((lead) => {
    const text = Buffer.concat([Buffer.alloc(lead), bytes]).toString("base64");
    return text.slice(Math.ceil((lead * 4) / 3), Math.floor(((lead + bytes.length) * 4) / 3));
  });
}

function withUrlForm(text: string): string[] {
  return [...new Set([text, text.replaceAll("+", "-").replaceAll("/", "_")])];
}

/** Short enough to find an excerpt quoted in a message, long enough to be unique. */
const PART_LENGTH = 8;

function partsOf(text: string): string[] {
  return Array.from({ length: text.length - PART_LENGTH + 1 }, (_, at) => text.slice(at, at + PART_LENGTH));
}

/** The encodings of bytes inside a longer value. */
export function formsOf(what: string, bytes: Buffer): Needle[] {
  const text = bytes.toString("latin1");
  const base64 = base64At(bytes);
  const texts = {
    "in part": partsOf(text),
    "as it is": [text],
    "as JSON": [JSON.stringify(text).slice(1, -1)],
    "percent-encoded": [encodeURIComponent(text)],
    hex: [bytes.toString("hex"), bytes.toString("hex").toUpperCase()],
    base64: base64.flatMap(withUrlForm),
    "base64 of base64": base64.flatMap((encoded) => base64At(Buffer.from(encoded))),
    "hex of base64": base64.map((encoded) => Buffer.from(encoded).toString("hex")),
    "UTF-16": [Buffer.from(text, "utf16le").toString("latin1")],
  };
  const distinct = new Map(
    Object.entries(texts).flatMap(([form, all]) => all.map((written) => [written, form] as const)),
  );
  return [...distinct].map(([written, form]) => ({ form: `${what}, ${form}`, bytes: Buffer.from(written, "latin1") }));
}

const CONTEXT_BYTES = 80;

/** Positions of the needles in the bytes, each at most once. */
export function search(place: string, bytes: Buffer, needles: readonly Needle[]): Hit[] {
  return needles.flatMap(({ form, bytes: needle }) => {
    const at = bytes.indexOf(needle);
    if (at < 0) return [];
    const context = bytes.toString("latin1", Math.max(0, at - CONTEXT_BYTES), at + needle.length + CONTEXT_BYTES);
    return [{ place, form, context: context.replaceAll(/[^\x20-\x7e]/g, ".") }];
  });
}
