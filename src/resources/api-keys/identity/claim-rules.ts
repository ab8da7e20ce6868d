// How the claims of a token are held against a trust rule. A pattern is exact, or a glob over the whole value: `*` is any characters
// but `/` and `:`, the separators of subjects such as `repo:acme/shop:ref:refs/heads/main`, and `**` is any characters at all.

/** What one claim has to be: text (with `*`, a glob), a number or a boolean; of a list, one. */
export type ClaimPattern = string | number | boolean;
export type ClaimRules = Readonly<Record<string, ClaimPattern | readonly ClaimPattern[]>>;
export type Claims = Readonly<Record<string, unknown>>;

/** A claim of a token beside what a rule expects of it. */
export interface ClaimMatch {
  /** As the rule names it. */
  readonly claim: string;
  readonly fits: boolean;
  readonly expected: readonly ClaimPattern[];
  /** The claim as JSON, shortened; null: the token does not have it. */
  readonly got: string | null;
}

/** Longer texts fit no glob: the work for a token has a bound. */
const MAX_GLOB_TEXT = 1_024;
const MAX_SHOWN = 300;

/** The members that lead to a claim: `a.b`, or `["a.b","c"]` for names with dots; null: it is no path. */
export function parseClaimPath(text: string): readonly string[] | null {
  if (!text.startsWith("[")) return text.split(".").includes("") ? null : text.split(".");
  try {
    const path: unknown = JSON.parse(text);
    const isPath =
      Array.isArray(path) && path.length > 0 && path.every((part) => typeof part === "string" && part !== "");
    return isPath ? (path as string[]) : null;
  } catch {
    return null;
  }
}

const isGlob = (pattern: string) => pattern.includes("*");
const isWild = (token: string) => token.startsWith("*");

/** In time that grows with pattern times text, whatever they are. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (text.length > MAX_GLOB_TEXT) return false;
  const tokens = pattern.match(/\*\*|\*|[^*]/g) ?? [];
  // `reached[i]`: the first `i` tokens match the text so far.
  let reached = [true];
  for (const [i, token] of tokens.entries()) reached.push(isWild(token) && reached[i] === true);
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    const next = [false];
    for (const [i, token] of tokens.entries()) {
      const goesOn = token === "**" || (token === "*" && character !== "/" && character !== ":");
      next.push(
        isWild(token)
          ? next[i] === true || (goesOn && reached[i + 1] === true)
          : reached[i] === true && token === character,
      );
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

/** Text fits text alone, and numbers fit numbers: a rule for "1" says nothing about 1. */
function fitsPattern(pattern: ClaimPattern, value: unknown): boolean {
  if (typeof pattern === "string" && typeof value === "string" && isGlob(pattern)) return matchesGlob(pattern, value);
  return pattern === value;
}

function findClaim(claims: Claims, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Claims)[name];
  }
  return value;
}

function shorten(value: unknown): string | null {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return null;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}

/** The claims that a rule names. Of a claim that is a list, one element has to fit. */
export function matchClaims(rules: ClaimRules, claims: Claims): readonly ClaimMatch[] {
  return Object.entries(rules).map(([claim, wanted]) => {
    const expected = Array.isArray(wanted) ? (wanted as readonly ClaimPattern[]) : [wanted as ClaimPattern];
    const value = findClaim(claims, parseClaimPath(claim) ?? []);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    const fits = expected.some((pattern) => values.some((one) => fitsPattern(pattern, one)));
    return { claim, fits, expected, got: shorten(value) };
  });
}

/** Whether a token is for this audience: `aud` is one or a list. */
export function hasAudience({ aud }: Claims, audience: string): boolean {
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
}

/** What every token has, whoever asked for it. */
const OF_ANY_TOKEN: ReadonlySet<string> = new Set(["iss", "aud", "exp", "nbf", "iat", "jti"]);

/** The claims by which tokens of issuers that serve everybody say whose they are. Sources: the issuers' documentation of their claims. */
const OWNER_CLAIMS: Readonly<Record<string, readonly string[]>> = {
  "https://token.actions.githubusercontent.com": [
    "sub",
    "repository",
    "repository_id",
    "repository_owner",
    "repository_owner_id",
    "job_workflow_ref",
    "workflow_ref",
    "enterprise",
    "enterprise_id",
  ],
  "https://gitlab.com": [
    "sub",
    "project_path",
    "project_id",
    "namespace_path",
    "namespace_id",
    "user_id",
    "user_login",
  ],
};

/** What has to be there whatever the `*` of a glob stand for, without the kind that subjects begin with: of `repo:acme/*`, `acme/`. */
function fixedStart(glob: string): string {
  return glob.slice(0, glob.indexOf("*")).replace(/^[\w-]+:/, "");
}

function isSpecific(pattern: ClaimPattern): boolean {
  if (typeof pattern !== "string") return typeof pattern === "number";
  return !isGlob(pattern) || fixedStart(pattern) !== "";
}

/** Whether a pattern has a whole name: `repo:acme/*`, but not `repo:acme*`, which names of others fit, too. */
function namesOwner(pattern: ClaimPattern): boolean {
  if (typeof pattern !== "string") return typeof pattern === "number";
  return !isGlob(pattern) || /^[^/:]+[/:]/.test(fixedStart(pattern));
}

/** Why claims are no rules for tokens of an issuer, as field and problem; null: they are. */
export function findClaimProblem(rules: ClaimRules, issuer: string): readonly [field: string, problem: string] | null {
  const wrong = Object.keys(rules).find((claim) => parseClaimPath(claim) === null);
  if (wrong !== undefined) {
    return [
      `body.claims.${wrong}`,
      'expected a path as repository or a.b, or ["kubernetes.io","namespace"] for names with dots',
    ];
  }
  const owners = OWNER_CLAIMS[issuer.replace(/\/$/, "")];
  // Of a list, the widest pattern counts.
  const isAnyEvery = (claims: readonly string[], fits: (pattern: ClaimPattern) => boolean) =>
    claims.some((claim) => [rules[claim] as ClaimPattern | readonly ClaimPattern[]].flat().every(fits));
  const named = Object.keys(rules).filter((claim) => owners?.includes(claim) ?? !OF_ANY_TOKEN.has(claim));
  if (isAnyEvery(named, owners ? namesOwner : isSpecific)) return null;
  if (!owners) {
    return [
      "body.claims",
      "expected a claim besides iss and aud whose patterns all begin with text: others than you get tokens of this issuer too",
    ];
  }
  return [
    "body.claims",
    `expected ${owners.slice(0, 5).join(", ")} or another claim that names the owner in full, such as "acme" or "acme/*": anybody gets tokens of ${issuer}`,
  ];
}
