// Takes credentials out of what is recorded of a request: by the names of headers, parameters and cookies, and by the form of values.

export const REDACTED = "[redacted]";

const NAMES = new RegExp(
  [
    "token|secret|key(?!word|board)|pass(?:w|phrase|code|$)|pwd|credential|cookie|session|authori[sz]|authenticat|bearer|jwt|csrf|xsrf",
    "signature|assertion|saml|access-client|^code$|^state$",
    // A code that somebody got to prove something; not that of a country or a status.
    "(?:verif|auth|confirm|activat|invit|recover|reset|login|sign-?in|access|device|backup|mfa|2fa|otp|sms|e?mail)[a-z]{0,8}[-_.]?code",
    "(?:^|[^a-z])(?:auth|sig|sid|otp|totp|mfa|2fa|pin|pw|nonce|ticket|invite|invitation)(?:[^a-z]|$)",
  ].join("|"),
  "i",
);

/** A name with a value after it, within a text such as JSON. */
const NAMED_WITHIN =
  /(?:token|secret|key|passw\w{0,5}|pwd|credential\w?|session\w{0,3}|auth|bearer|signature)["'\s]{0,3}[:=]/i;

/** A name with a value after it, as in a query, a form or JSON. */
const NAME_WITHIN = /(?<![\w.[\]-])([\w.[\]-]+)(?:=|["']\s{0,3}:)/g;

/** Of a URL or a path. */
const URL_START = /^(?:https?:\/)?\//i;

/** A parameter of a segment of a path. */
const PATH_PARAMETER = /;([^;=/]{1,100})=([^;/]*)/g;

/** What random texts look like: keys, digests, UUIDs. */
const LONG_WORD = /[\w-]{32,}/g;
const isRandom = (word: string) => /\d/.test(word) && /[A-Za-z]/.test(word);
const JWT = /\beyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g;
const CREDENTIAL = /\b(?:basic|bearer|digest|negotiate)\s+\S+/gi;
const USER_INFO = /\/\/[^/\s@]{1,300}@/g;

/** Longer values are found in other texts by their beginning, because traces shorten them. */
const SHORTENED = 200;
/** Of values that other texts are searched for, and of the parts of such values; shorter ones occur everywhere. */
const MIN_LENGTH = 6;
const MIN_PART_LENGTH = 8;
const MAX_VALUES = 100;

/** Whether the value of a header, parameter or cookie of this name is a credential. */
export function isSensitiveName(name: string): boolean {
  return NAMES.test(name);
}

/** Texts within texts are encoded once more for each. */
const MAX_DECODINGS = 4;

function decoded(text: string): string {
  let from = text;
  try {
    for (let left = MAX_DECODINGS; left > 0; left--) {
      const to = decodeURIComponent(from.replaceAll("+", " "));
      if (to === from) break;
      from = to;
    }
  } catch {
    // The rest is no encoding.
  }
  return from;
}

/** Whether a text holds a credential with its name. */
function holdsNamed(text: string): boolean {
  if (NAMED_WITHIN.test(text)) return true;
  for (const [, name = ""] of text.matchAll(NAME_WITHIN)) if (isSensitiveName(name)) return true;
  return false;
}

/** Redacts the parts of one request. What it has taken out of one part, it takes out of those after it as well. */
export interface Redactor {
  header(name: string, value: string): string;
  /** A path, with its query. */
  target(target: string): string;
  /** The value of a parameter or cookie, or any text. */
  value(name: string, text: string): string;
  text(text: string): string;
}

export function createRedactor(): Redactor {
  const taken = new Set<string>();

  function remember(value: string, length: number): void {
    if (value.length >= length && taken.size < MAX_VALUES && value !== REDACTED) taken.add(value);
  }

  function take(value: string): string {
    for (const form of [value, decoded(value)]) {
      remember(form, MIN_LENGTH);
      for (const part of form.split(/[\s;,=]+/)) remember(part, MIN_PART_LENGTH);
    }
    return value === "" ? "" : REDACTED;
  }

  function text(from: string): string {
    let left = from;
    for (const value of taken) {
      left = left.replaceAll(value, REDACTED);
      if (value.length > SHORTENED) left = left.replaceAll(value.slice(0, SHORTENED), REDACTED);
    }
    for (const form of [CREDENTIAL, JWT]) left = left.replaceAll(form, (found) => take(found));
    left = left.replaceAll(LONG_WORD, (found) => (isRandom(found) ? take(found) : found));
    return left.replaceAll(USER_INFO, `//${REDACTED}@`);
  }

  function pair(piece: string): string {
    const at = piece.indexOf("=");
    if (at < 0) return text(piece);
    const [name, value] = [piece.slice(0, at), piece.slice(at + 1)];
    const isSensitive = isSensitiveName(decoded(name)) || holdsNamed(decoded(value));
    return `${name}=${isSensitive ? take(value) : text(value)}`;
  }

  function path(whole: string): string {
    const left = whole.replaceAll(PATH_PARAMETER, (found, name: string, value: string) =>
      isSensitiveName(decoded(name)) ? `;${name}=${take(value)}` : found,
    );
    return text(left);
  }

  function target(whole: string): string {
    const at = whole.search(/[?#]/);
    if (at < 0) return path(whole);
    // Some applications split a query at semicolons, too.
    const query = whole
      .slice(at + 1)
      .split(/([&;])/)
      .map((piece) => (piece === "&" || piece === ";" ? piece : pair(piece)))
      .join("");
    return `${path(whole.slice(0, at))}${whole[at]}${query}`;
  }

  function named(name: string, of: string): string {
    return isSensitiveName(name) || holdsNamed(decoded(of)) ? take(of) : text(of);
  }

  return {
    header: (name, of) => (URL_START.test(of) && !isSensitiveName(name) ? target(of) : named(name, of)),
    target,
    value: named,
    text,
  };
}
