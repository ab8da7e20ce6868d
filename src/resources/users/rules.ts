// Checks of what a person fills in on a page; the API checks the same by its schemas.
import { fieldError } from "../../kernel/errors.ts";
import { NAME_FORMS } from "./contract.ts";

const MAX_NAME_LENGTH = 256;

export function isForm(field: keyof typeof NAME_FORMS, text: string): boolean {
  const { pattern, maxLength } = NAME_FORMS[field];
  return text.length <= maxLength && new RegExp(pattern).test(text);
}

/** Refuses a username or an e-mail address in another form. */
export function requireForm(field: keyof typeof NAME_FORMS, text: string): void {
  const { expected, maxLength } = NAME_FORMS[field];
  if (isForm(field, text)) return;
  throw fieldError("bad_request", `body.${field}`, `expected ${expected}, at most ${maxLength} characters`);
}

export function requireName(name: string | null): void {
  if (name !== null && name.length > MAX_NAME_LENGTH) {
    throw fieldError("bad_request", "body.name", `expected at most ${MAX_NAME_LENGTH} characters`);
  }
}
