// Checks of what a person fills in on a page; the API checks the same by its schemas.
import { fieldError } from "../../platform/kernel/errors.ts";
import { USERNAME } from "./contract.ts";

const MAX_NAME_LENGTH = 256;

export function requireUsername(text: string): void {
  const { pattern, expected, maxLength } = USERNAME;
  if (text.length <= maxLength && new RegExp(pattern).test(text)) return;
  throw fieldError("bad_request", "body.username", `expected ${expected}, at most ${maxLength} characters`);
}

export function requireName(name: string | null): void {
  if (name !== null && name.length > MAX_NAME_LENGTH) {
    throw fieldError("bad_request", "body.name", `expected at most ${MAX_NAME_LENGTH} characters`);
  }
}
