// Request bodies: JSON in UTF-8, without values that could not be stored and returned unchanged.
import { isUtf8 } from "node:buffer";
import { ApiError, fieldError } from "../kernel/errors.ts";
import { countMembers, findDuplicate } from "../kernel/text/duplicate-members.ts";
import { isPrototypeName } from "../kernel/text/prototype-names.ts";

const MAX_DEPTH = 32;
const MAX_VALUES = 20_000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

export function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}

/** Parses a body; undefined when it is empty. */
export function parseJsonBody(bytes: Buffer, maxValues = MAX_VALUES): unknown {
  return bytes.length === 0 ? undefined : parseJson(bytes, "body", maxValues);
}

/** Parses JSON of at most `maxValues` values and refuses text that cannot be stored. Errors name the value `root`. */
export function parseJson(bytes: Buffer, root: string, maxValues: number): unknown {
  if (!isUtf8(bytes)) throw new ApiError("invalid_json", `${root}: expected UTF-8`);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    // The parser's message quotes the text, which may contain secrets, so the response names only the position.
    const position = /\((line \d+ column \d+)\)/.exec((error as Error).message)?.[1];
    throw new ApiError("invalid_json", `${root}: expected JSON${position ? `, which ends at ${position}` : ""}`);
  }
  const count = { values: 0, members: 0, max: maxValues };
  refuseUnstorable(value, [root], count);
  if (countMembers(bytes) !== count.members) {
    refuse((findDuplicate(bytes.toString("utf8"), root) ?? root).slice(0, 200), "expected once");
  }
  return value;
}

function refuse(field: string, message: string): never {
  throw fieldError("bad_request", field, message);
}

type Path = readonly (string | number)[];

/** `["body", "rules", 2]` becomes `body.rules[2]`. Only refusals need it. */
function fieldAt([root, ...path]: Path): string {
  return path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : `${name}.${part}`),
    String(root),
  );
}

interface Count {
  values: number;
  members: number;
  readonly max: number;
}

/** Not every engine can store NUL and lone surrogates. */
function refuseUnstorable(value: unknown, path: Path, count: Count): void {
  // Later checks take time proportional to the number of values, and no legitimate body has this many.
  if (++count.values > count.max) refuse(String(path[0]), `expected at most ${count.max} values`);
  if (typeof value === "string") {
    if (!isStorable(value)) refuseUnstorableText(value, fieldAt(path));
  } else if (typeof value === "object" && value !== null) {
    if (path.length > MAX_DEPTH) refuse(fieldAt(path), `expected at most ${MAX_DEPTH} levels`);
    if (Array.isArray(value)) {
      value.forEach((item, index) => refuseUnstorable(item, [...path, index], count));
      return;
    }
    for (const key of Object.keys(value)) {
      count.members++;
      if (isPrototypeName(key)) refuse(fieldAt(path), `unexpected key ${key}`);
      if (!isStorable(key)) refuseUnstorableText(key, fieldAt(path));
      refuseUnstorable((value as Record<string, unknown>)[key], [...path, key], count);
    }
  }
}

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

export function refuseUnstorableText(text: string, field: string): void {
  if (text.includes("\0")) refuse(field, "expected text without NUL characters");
  if (!text.isWellFormed()) refuse(field, "expected well-formed Unicode (a surrogate stands alone)");
}
