// Request bodies: JSON in UTF-8 and nothing that could not be stored and given back unchanged.
import { isUtf8 } from "node:buffer";
import { ApiError, fieldError } from "../kernel/errors.ts";
import { countMembers, findDuplicate } from "./duplicate-members.ts";

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

/** Parses JSON of at most `maxValues` values, which errors call `root`; refuses what could not be stored. */
export function parseJson(bytes: Buffer, root: string, maxValues: number): unknown {
  if (!isUtf8(bytes)) throw new ApiError("invalid_json", `${root}: expected UTF-8`);
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    // The parser's own message quotes the text, which may hold secrets: only the place is told.
    const place = /\((line \d+ column \d+)\)/.exec((error as Error).message)?.[1];
    throw new ApiError("invalid_json", `${root}: expected JSON${place ? `, which ends at ${place}` : ""}`);
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

/** `["body", "rules", 2]` is `body.rules[2]`; made only to refuse. */
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

/** NUL and lone surrogates can't be stored on every engine; `__proto__` is never meant well. */
function refuseUnstorable(value: unknown, path: Path, count: Count): void {
  // Every later check costs time by the number of values, and no text that is meant well has so many.
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
      if (key === "__proto__" || key === "constructor" || key === "prototype") {
        refuse(fieldAt(path), `unexpected key ${key}`);
      }
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
