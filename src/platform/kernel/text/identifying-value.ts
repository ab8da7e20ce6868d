// What may identify somebody or something in a signed token: its issuer, subject and audience, and names such as an address or a group.
// The same value must have the same bytes in every store and export, so odd ones are rejected and none is cut or cleaned.

/** OpenID Connect Core 1.0, section 2, for `sub`. */
export const MAX_IDENTIFYING_LENGTH = 255;

/** What is wrong with a value, in words that do not repeat it; null: nothing is. */
function findIdentifyingProblem(value: unknown): string | null {
  if (typeof value !== "string") return `expected text, got ${Array.isArray(value) ? "a list" : typeof value}`;
  if (value === "") return "expected text, got an empty one";
  if (value.length > MAX_IDENTIFYING_LENGTH) {
    return `expected at most ${MAX_IDENTIFYING_LENGTH} characters, got ${value.length}`;
  }
  if (!value.isWellFormed()) return "expected well-formed Unicode, got half of a surrogate pair";
  return /\p{Cc}/u.test(value) ? "expected no control characters" : null;
}

export function isIdentifying(value: unknown): value is string {
  return findIdentifyingProblem(value) === null;
}

/** The problem of the claims that say whose a token is, with the claim's name; null: there is none. `aud` is one audience or a list. */
export function findTokenProblem({ iss, sub, aud }: Readonly<Record<string, unknown>>): string | null {
  const audiences = Array.isArray(aud) ? (aud as readonly unknown[]) : aud === undefined ? [] : [aud];
  for (const [name, value] of [["iss", iss], ["sub", sub], ...audiences.map((one) => ["aud", one])] as const) {
    const problem = findIdentifyingProblem(value);
    if (problem !== null) return `its ${String(name)}: ${problem}`;
  }
  return null;
}
