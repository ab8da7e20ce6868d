// How the claims of a token are held against a trust rule. A pattern is exact, or a glob over the whole value: `*` is any characters
// but `/` and `:`, the separators of subjects such as `repo:acme/shop:ref:refs/heads/main`, and `**` is any characters at all.
import { findClaim, parseClaimPath } from "../../platform/kernel/text/claim-path.ts";
import { createGlob } from "../../platform/kernel/text/glob.ts";

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
/** In all patterns of a rule, each `*` or `**`: the work for a token has a bound. */
export const MAX_STARS = 20;

/** One star does not cross them in subjects such as `repo:acme/shop:ref:refs/heads/main`. */
const SEPARATORS = "/:";
const EACH_STAR = /\*\*?/g;
const isGlob = (pattern: ClaimPattern): pattern is string => typeof pattern === "string" && pattern.includes("*");

/** A claim as JSON, shortened; null: the token does not have it. */
export function showClaim(value: unknown): string | null {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return null;
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;
}

/** Whether one of the values fits one of the patterns. Types count: a rule for "1" says nothing about 1. */
function fitsOne(patterns: readonly ClaimPattern[], values: readonly unknown[]): boolean {
  const globs = patterns.filter(isGlob).map((pattern) => createGlob(pattern, SEPARATORS));
  const fitsGlob = (text: string) => text.length <= MAX_GLOB_TEXT && globs.some((fits) => fits(text));
  const exact = new Set<unknown>(patterns.filter((pattern) => !isGlob(pattern)));
  return values.some((value) => exact.has(value) || (typeof value === "string" && fitsGlob(value)));
}

/** The claims that a rule names. Of a claim that is a list, one element has to fit. */
export function matchClaims(rules: ClaimRules, claims: Claims): readonly ClaimMatch[] {
  return Object.entries(rules).map(([claim, wanted]) => {
    const expected = Array.isArray(wanted) ? (wanted as readonly ClaimPattern[]) : [wanted as ClaimPattern];
    const value = findClaim(claims, claim);
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return { claim, fits: fitsOne(expected, values), expected, got: showClaim(value) };
  });
}

/** Whether a token is for this audience: `aud` is one or a list. */
export function hasAudience({ aud }: Claims, audience: string): boolean {
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
}

/** What every token has, no matter who asked for it. */
const OF_ANY_TOKEN: ReadonlySet<string | null> = new Set(["iss", "aud", "exp", "nbf", "iat", "jti"]);

/**
 * Issuers that give tokens to everybody, and the claims by which these name the owner of the repository or project. Missing are claims
 * that strangers get, too: a workflow that they may call (`job_workflow_ref`), a person who may run jobs for others (`actor`,
 * `user_login`), and what a job chooses (`ref`, `environment`). Sources: docs.github.com, "OpenID Connect reference"; docs.gitlab.com,
 * "OpenID Connect (OIDC) Authentication Using ID Tokens".
 */
const OWNER_CLAIMS: Readonly<Record<string, readonly string[]>> = {
  "https://token.actions.githubusercontent.com": [
    "repository",
    "repository_id",
    "repository_owner",
    "repository_owner_id",
    "enterprise_id",
  ],
  "https://gitlab.com": ["project_path", "project_id", "namespace_path", "namespace_id"],
};

/** The claims that name the owner, also of the issuer of one enterprise, which has its slug as its path; undefined: it serves not everybody. */
function ownerClaimsOf(issuer: string): readonly string[] | undefined {
  return Object.entries(OWNER_CLAIMS).find(([url]) => issuer === url || issuer.startsWith(`${url}/`))?.[1];
}

/** What has to be there whatever the `*` of a glob stand for, without the kind that subjects begin with: of `repo:acme/*`, `acme/`. */
function fixedStart(glob: string): string {
  return glob.slice(0, glob.indexOf("*")).replace(/^[\w-]+:/, "");
}

function isSpecific(pattern: ClaimPattern): boolean {
  if (typeof pattern !== "string") return typeof pattern === "number";
  return !isGlob(pattern) || fixedStart(pattern) !== "";
}

/** Whether a pattern has a whole name: `acme/*`, but not `acme*`, which names of others fit, too. */
function isWholeName(pattern: ClaimPattern): boolean {
  if (typeof pattern !== "string") return typeof pattern === "number";
  return pattern !== "" && (!isGlob(pattern) || /^[^/:*]+[/:]/.test(pattern));
}

/** An owner and any id, as `acme@*` before a slash: GitHub lets no name have an @, so that no other owner fits. */
const OWNER_WITH_ANY_ID = /^[^/:*@]+@\*\//;

/** Subjects are made of claims that the owner of the repository chooses: `repo:acme/shop:...`, but also `environment:...`. */
function subjectNamesOwner(pattern: ClaimPattern, owners: readonly string[]): boolean {
  const [, kind = "", name = ""] = /^(\w+):([^]*)$/.exec(String(pattern)) ?? [];
  if (kind === "repo" && OWNER_WITH_ANY_ID.test(name)) return true;
  return (kind === "repo" || owners.includes(kind)) && isWholeName(name);
}

/** The name of a claim that is no member of another one; null: it is. */
function topLevelName(claim: string): string | null {
  const [name = null, ...rest] = parseClaimPath(claim) ?? [];
  return rest.length > 0 ? null : name;
}

/** Why claims are no rules for tokens of an issuer, as field and problem; null: they are. */
export function findClaimProblem(rules: ClaimRules, issuer: string): readonly [field: string, problem: string] | null {
  const wrong = Object.keys(rules).find((claim) => parseClaimPath(claim) === null);
  if (wrong !== undefined) {
    return [
      `body.claims.${wrong}`,
      'expected a path of at most 20 names as repository or a.b, or a list as ["kubernetes.io","namespace"]',
    ];
  }
  const stars = Object.values(rules)
    .flat()
    .filter(isGlob)
    .reduce((sum, glob) => sum + (glob.match(EACH_STAR)?.length ?? 0), 0);
  if (stars > MAX_STARS) {
    return ["body.claims", `expected at most ${MAX_STARS} * or ** in all patterns together, got ${stars}`];
  }
  const owners = ownerClaimsOf(issuer);
  // Of a list, the widest pattern counts.
  const isNamed = Object.entries(rules).some(([claim, wanted]) => {
    const patterns = [wanted].flat() as readonly ClaimPattern[];
    const name = topLevelName(claim);
    if (!owners) return !OF_ANY_TOKEN.has(name) && patterns.every(isSpecific);
    if (name === "sub") return patterns.every((pattern) => subjectNamesOwner(pattern, owners));
    return name !== null && owners.includes(name) && patterns.every(isWholeName);
  });
  if (isNamed) return null;
  if (!owners) {
    return [
      "body.claims",
      "expected a claim besides iss and aud whose patterns all begin with text: others than you get tokens of this issuer too",
    ];
  }
  return [
    "body.claims",
    `expected ${owners.join(", ")}, or a sub that begins with one of them, that names the owner in full, such as "acme" or "acme/*": ` +
      `anybody gets tokens of ${issuer}`,
  ];
}
