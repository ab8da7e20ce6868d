// Request bodies: JSON in UTF-8 and nothing that could not be stored and given back unchanged.
import { isUtf8 } from "node:buffer";
import { ApiError } from "../kernel/errors.ts";

const MAX_DEPTH = 32;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

export function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}

/** Parses a body; undefined when it is empty. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new ApiError("invalid_json", "body: expected UTF-8");
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw new ApiError("invalid_json", `body: expected JSON: ${(error as Error).message.replace(/ in JSON/, "")}`);
  }
  refuseUnstorable(value, "body", 0);
  return value;
}

function refuse(field: string, message: string): never {
  throw new ApiError("bad_request", `${field}: ${message}`, { field });
}

/** NUL and lone surrogates can't be stored on every engine; `__proto__` is never meant well. */
function refuseUnstorable(value: unknown, field: string, depth: number): void {
  if (typeof value === "string") {
    refuseUnstorableText(value, field);
  } else if (typeof value === "object" && value !== null) {
    if (depth >= MAX_DEPTH) refuse(field, `expected at most ${MAX_DEPTH} levels`);
    if (Array.isArray(value)) {
      value.forEach((item, index) => refuseUnstorable(item, `${field}[${index}]`, depth + 1));
      return;
    }
    for (const key of Object.keys(value)) {
      if (key === "__proto__" || key === "constructor" || key === "prototype") {
        refuse(field, `unexpected key ${key}`);
      }
      refuseUnstorableText(key, field);
      refuseUnstorable((value as Record<string, unknown>)[key], `${field}.${key}`, depth + 1);
    }
  }
}

export function refuseUnstorableText(text: string, field: string): void {
  if (text.includes("\0")) refuse(field, "expected text without NUL characters");
  if (!text.isWellFormed()) refuse(field, "expected well-formed Unicode (a surrogate stands alone)");
}
