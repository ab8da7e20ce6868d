// Rules for names and values of secrets, and for the times of expiry notices.
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { MAX_VALUE_BYTES } from "./secret-schema.ts";
import type { ENCODINGS } from "./secret-schema.ts";

/** How long a deleted secret can be restored. */
export const RESTORABLE_MS = 7 * DAY_MS;
export const MAX_ALIASES = 20;

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const MAX_NAME_LENGTH = 100;
/** A path holds either an id or a name, so no name may look like an id, in any case. */
const ID_PREFIX = "sec_";

export function isSecretId(idOrName: string): boolean {
  return idOrName.startsWith(ID_PREFIX);
}

/** The form in which names are compared. Only A-Z are lowered: the lower case of the Kelvin sign is a plain k. */
export function nameKey(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Returns a valid name, or refuses `field`. */
export function requireName(name: string, field: string): string {
  const refuse = (expected: string): never => {
    throw fieldError("invalid_secret_name", field, `expected ${expected}`);
  };
  if (!NAME.test(name)) refuse("letters, digits, `_`, `.` and `-`, beginning with a letter, a digit or `_`");
  if (isSecretId(nameKey(name))) refuse("a name that does not begin with sec_, as ids do");
  if (name.length > MAX_NAME_LENGTH) refuse(`at most ${MAX_NAME_LENGTH} characters`);
  return name;
}

export type Encoding = (typeof ENCODINGS)[number];

function refuseValue(field: string, expected: string): never {
  throw fieldError("invalid_secret_value", field, `expected ${expected}`);
}

/**
 * Decodes a value; the caller wipes the bytes. Refuses `field` when it is too long or not base64.
 */
export function decodeValue(value: string, encoding: Encoding, field = "body.value"): Buffer {
  const bytes = Buffer.from(value, encoding);
  if (encoding === "base64" && bytes.toString("base64") !== value) {
    bytes.fill(0);
    refuseValue(field, "base64 with padding (RFC 4648, section 4)");
  }
  if (bytes.length > MAX_VALUE_BYTES) {
    const { length } = bytes;
    bytes.fill(0);
    refuseValue(field, `at most ${MAX_VALUE_BYTES} bytes, got ${length}`);
  }
  return bytes;
}

/** Tags as stored, without duplicates. */
export function storedTags(tags: readonly string[]): string {
  return JSON.stringify([...new Set(tags)]);
}

/** The notices, and how long before expiry each is due. */
const NOTICES = [
  { notice: "week", beforeMs: 7 * DAY_MS },
  { notice: "day", beforeMs: DAY_MS },
  { notice: "expired", beforeMs: 0 },
] as const;
export type Notice = (typeof NOTICES)[number]["notice"];

/** The time of the next notice after `now`; null when there is none. */
export function nextNoticeAt(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null;
  const next = NOTICES.find(({ beforeMs }) => expiresAt - beforeMs > now);
  return next ? expiresAt - next.beforeMs : null;
}

/** The latest notice that is due at `now`; earlier ones, missed during a pause, are skipped. */
export function dueNotice(expiresAt: number, now: number): Notice {
  return NOTICES.findLast(({ beforeMs }) => expiresAt - beforeMs <= now)?.notice ?? "week";
}

export function isExpired(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
export const ALPHABETS = {
  alphanumeric: LETTERS + DIGITS,
  letters: LETTERS,
  digits: DIGITS,
  hex: `${DIGITS}abcdef`,
  base64url: `${LETTERS}${DIGITS}-_`,
  printable: Array.from({ length: 94 }, (_, at) => String.fromCodePoint(0x21 + at)).join(""),
} as const;
