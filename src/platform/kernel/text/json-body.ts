// Request bodies: JSON in UTF-8, without values that could not be stored and returned unchanged.
import { isUtf8 } from "node:buffer";
import { ApiError, fieldError } from "../errors.ts";
import { withoutMark } from "./decode-text.ts";
import { findDuplicate } from "./duplicate-members.ts";
import { hasMoreNames, measureJson } from "./json-size.ts";
import { isPrototypeName } from "./prototype-names.ts";

const MAX_DEPTH = 32;
const MAX_VALUES = 20_000;
/** Arrays and objects, which take several times as long as scalars to parse and to copy. */
const MAX_CONTAINERS = 75_000;
/** Of different names of members, in bodies with more members than that: objects of many shapes take several times as long as others. */
const MAX_NAMES = 1_000;
const MANY_MEMBERS = 20_000;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

export function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}

/** Parses a body; undefined when it is empty. */
export function parseJsonBody(bytes: Buffer, maxValues = MAX_VALUES): unknown {
  return bytes.length === 0 ? undefined : parseJson(bytes, "body", maxValues);
}

/** Parses JSON of at most `maxValues` values and refuses text that cannot be stored. Errors name the value `root`. */
export function parseJson(given: Buffer, root: string, maxValues: number): unknown {
  if (!isUtf8(given)) throw new ApiError("invalid_json", `${root}: expected UTF-8`);
  const bytes = withoutMark(given);
  const { values, members, containers, depth } = measureJson(bytes, maxValues, MAX_DEPTH);
  if (values > maxValues) refuse(root, `expected at most ${maxValues} values`);
  if (containers > MAX_CONTAINERS) refuse(root, `expected at most ${MAX_CONTAINERS} arrays and objects`);
  if (depth > MAX_DEPTH) refuse(root, `expected at most ${MAX_DEPTH} levels`);
  if (members > MANY_MEMBERS && hasMoreNames(bytes, MAX_NAMES)) {
    refuse(root, `expected at most ${MAX_NAMES} different names of members, or at most ${MANY_MEMBERS} members`);
  }
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    const problem = problemOf((error as Error).message, bytes.toString("utf8"));
    throw new ApiError("invalid_json", `${root}: expected JSON${problem}`);
  }
  if (countStorable(value, [root]) !== members) {
    if (values > MAX_VALUES) refuse(root, "expected each member once");
    refuse((findDuplicate(bytes.toString("utf8"), root) ?? root).slice(0, 200), "expected once");
  }
  return value;
}

const QUOTES = ": names and texts need double quotes";

/** The parser's message quotes the text, which may contain secrets, so this names only the place, and the usual slips. */
function problemOf(message: string, text: string): string {
  const [, at, place] = /at position (\d+) \((line \d+ column \d+)\)/.exec(message) ?? [];
  if (/^(?:Unexpected end|Unterminated)/.test(message)) return ", and the text ends before it does";
  // Of a token the parser says no place.
  if (at === undefined) return message.startsWith("Unexpected token '''") ? QUOTES : "";
  const [before, found] = [text.slice(0, Number(at)).trimEnd(), text.charAt(Number(at))];
  const isAfterComma = before.endsWith(",") && /[\]}]/.test(found);
  const hint = isAfterComma
    ? ": leave out the comma before it"
    : /['\w]/.test(found) && /[{,:[]$|^$/.test(before)
      ? QUOTES
      : "";
  return `, which ${place} is not${hint}`;
}

function refuse(field: string, message: string): never {
  throw fieldError("bad_request", field, message);
}

type Path = (string | number)[];

/** `["body", "rules", 2]` becomes `body.rules[2]`. Only refusals need it. */
function fieldAt([root, ...path]: Path): string {
  return path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : `${name}.${part}`),
    String(root),
  );
}

/** Counts the members of all objects. Refuses NUL and lone surrogates, which not every engine can store. `path` leads to the value. */
function countStorable(value: unknown, path: Path): number {
  if (typeof value === "string" && !isStorable(value)) refuseUnstorableText(value, fieldAt(path));
  if (typeof value !== "object" || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      path.push(index);
      members += countStorable(item, path);
      path.pop();
    }
    return members;
  }
  for (const key of Object.keys(value)) {
    members++;
    if (isPrototypeName(key)) refuse(fieldAt(path), `unexpected key ${key}`);
    if (!isStorable(key)) refuseUnstorableText(key, fieldAt(path));
    path.push(key);
    members += countStorable((value as Record<string, unknown>)[key], path);
    path.pop();
  }
  return members;
}

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

export function refuseUnstorableText(text: string, field: string): void {
  if (text.includes("\0")) refuse(field, "expected text without NUL characters");
  if (!text.isWellFormed()) refuse(field, "expected well-formed Unicode (a surrogate stands alone)");
}
