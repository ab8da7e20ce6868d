// Where a rule can wait for a request: a condition of it that holds only when the request has one of some values.
import type { Condition } from "../config.ts";
import { GRAM_LENGTH } from "./gram-index.ts";
import { requiredLiterals } from "../pattern/pattern-literals.ts";
import { expectedTexts, isEquality, isTurnedAround, readingOf } from "../request/reading.ts";
import type { Reading } from "../request/reading.ts";
import { LONG_S } from "../request/values.ts";

/**
 * The condition holds only when a text equals one of the values, begins or ends with one, has one as a part, when there
 * is a text (of no matter what value), or when the address lies in one.
 */
export type Way = "equal" | "prefix" | "suffix" | "part" | "present" | "network";

export interface Place {
  readonly way: Way;
  /** Undefined: the address. */
  readonly reading: Reading | undefined;
  readonly values: readonly string[];
  /** How many requests come by with one of the values, guessed. */
  readonly weight: number;
}

const RARE = 1;
const COMMON = 8;
const VERY_COMMON = 16;
const NEARLY_ALL = 64;
// What many requests have in common; other texts tell them apart well.
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

/** A `/` is in every path. */
const MIN_LENGTH = 2;

function placeOfParts(parts: readonly string[] | null, reading: Reading, weight: number): Place | null {
  if (!parts?.every((part) => part.length >= GRAM_LENGTH && !part.includes(LONG_S))) return null;
  return { way: "part", reading, values: parts, weight: 4 * weight };
}

/** What all texts have of which one matches one of the expressions. */
function partsOf(expressions: readonly string[]): readonly string[] | null {
  const parts: string[] = [];
  for (const expression of expressions) {
    const literals = requiredLiterals(expression);
    if (!literals) return null;
    parts.push(...literals);
  }
  return parts;
}

/** Null for a condition at which no rule can wait. */
export function placeOf(condition: Condition): Place | null {
  const { type, op } = condition;
  if (isTurnedAround(condition)) return null;
  const texts = expectedTexts(condition);
  if (type === "ip_address") {
    if (!isEquality(condition)) return null;
    const weight = texts.some((text) => text.endsWith("/0")) ? NEARLY_ALL : RARE;
    return { way: "network", reading: undefined, values: texts, weight };
  }
  const reading = readingOf(condition);
  if (!reading) return null;
  const weight = WEIGHTS[type] ?? RARE;
  const values = texts.map((text) => text.toLowerCase());
  if (isEquality(condition)) return { way: "equal", reading, values, weight };
  const edge = {
    reading,
    values,
    weight: values.every(({ length }) => length >= MIN_LENGTH) ? 2 * weight : NEARLY_ALL,
  };
  const parts = op === "sub" ? values : op === "re" ? partsOf(texts) : null;
  if (op === "pre") return { way: "prefix", ...edge };
  if (op === "suf") return { way: "suffix", ...edge };
  return (
    placeOfParts(parts, reading, weight) ??
    (reading.named ? { way: "present", reading, values: [""], weight: COMMON } : null)
  );
}
