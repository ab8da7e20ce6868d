// Reads the body of a form. Bytes that are not UTF-8 are refused with the name of their field, percent-encoded or not.
import { fieldError } from "../../kernel/errors.ts";
import { parseQueryString } from "../../operations/query-string.ts";

const FIELD_NAME = /^[\w.-]{1,40}$/;

/** All values of each field, in order. A refusal repeats no value: it may be a password. */
export function readForm(bytes: Buffer): ReadonlyMap<string, readonly string[]> {
  // Decoding bytes as UTF-8 would replace those that are not.
  const text = bytes.toString("latin1").replaceAll(/[\x80-\xFF]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
  const fields = new Map<string, string[]>();
  for (const pair of text.split("&")) {
    try {
      for (const [name, values] of parseQueryString(pair)) fields.set(name, [...(fields.get(name) ?? []), ...values]);
    } catch {
      const [name = ""] = pair.split("=", 1);
      throw fieldError("bad_request", FIELD_NAME.test(name) ? name : "body", "expected percent-encoded UTF-8");
    }
  }
  return fields;
}
