// Index keys: a condition that matches only requests with one of certain values lets the index skip all other requests.
import type { Condition } from "../config.ts";
import { GRAM_LENGTH } from "./gram-index.ts";
import { requiredLiterals } from "../pattern/pattern-literals.ts";
import { expectedTexts, isEquality, isNegated, operandOf } from "../request/operand.ts";
import type { Operand } from "../request/operand.ts";
import { LONG_S } from "../request/values.ts";

/**
 * How the request has to relate to one of the values: its text equals, begins with, ends with or contains it; it has any
 * text (`present`); or its address is in it (`network`).
 */
export type MatchKind = "equal" | "prefix" | "suffix" | "substring" | "present" | "network";

export interface IndexKey {
  readonly kind: MatchKind;
  /** Undefined: the client's address. */
  readonly operand: Operand | undefined;
  readonly values: readonly string[];
  /** An estimate of how many requests have one of the values. */
  readonly weight: number;
}

const RARE = 1;
const COMMON = 8;
const VERY_COMMON = 16;
const NEARLY_ALL = 64;
// Many requests share these values. All other types are RARE.
const WEIGHTS: Readonly<Partial<Record<Condition["type"], number>>> = {
  host: COMMON,
  method: VERY_COMMON,
  protocol: VERY_COMMON,
  scheme: VERY_COMMON,
  environment: VERY_COMMON,
  domain_environment: VERY_COMMON,
  region: COMMON,
  geo_continent: VERY_COMMON,
  geo_country: COMMON,
  bot_category: COMMON,
  bot_status: COMMON,
  bot_protection: COMMON,
};

/** A single character selects little: every path begins with `/`. */
const MIN_LENGTH = 2;

function substringKey(substrings: readonly string[] | null, operand: Operand, weight: number): IndexKey | null {
  if (!substrings?.every((substring) => substring.length >= GRAM_LENGTH && !substring.includes(LONG_S))) return null;
  return { kind: "substring", operand, values: substrings, weight: 4 * weight };
}

/** Substrings of which every text that matches one of the expressions contains at least one; null: unknown. */
function literalsOf(expressions: readonly string[]): readonly string[] | null {
  const substrings: string[] = [];
  for (const expression of expressions) {
    const literals = requiredLiterals(expression);
    if (!literals) return null;
    substrings.push(...literals);
  }
  return substrings;
}

/** Null when the condition cannot be indexed. */
export function indexKeyOf(condition: Condition): IndexKey | null {
  const { type, op } = condition;
  // Bodies are read last, and only where the other conditions hold: looking them up would read them all.
  if (isNegated(condition) || type === "body") return null;
  const texts = expectedTexts(condition);
  if (type === "ip_address") {
    if (!isEquality(condition)) return null;
    const weight = texts.some((text) => text.endsWith("/0")) ? NEARLY_ALL : RARE;
    return { kind: "network", operand: undefined, values: texts, weight };
  }
  const operand = operandOf(condition);
  if (!operand) return null;
  const weight = WEIGHTS[type] ?? RARE;
  const values = texts.map((text) => text.toLowerCase());
  if (isEquality(condition)) return { kind: "equal", operand, values, weight };
  const edge = {
    operand,
    values,
    weight: values.every(({ length }) => length >= MIN_LENGTH) ? 2 * weight : NEARLY_ALL,
  };
  const substrings = op === "sub" ? values : op === "re" ? literalsOf(texts) : null;
  if (op === "pre") return { kind: "prefix", ...edge };
  if (op === "suf") return { kind: "suffix", ...edge };
  return (
    substringKey(substrings, operand, weight) ??
    (operand.named ? { kind: "present", operand, values: [""], weight: COMMON } : null)
  );
}
