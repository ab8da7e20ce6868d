// Expressions of conditions: RE2, whose matching takes time linear in the text, without regard to case.
import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { requiredLiterals } from "./pattern-literals.ts";
import { classesSize, estimateSize } from "./pattern-size.ts";

/** Instructions that a compiled expression may have, and what its classes count. */
export const MAX_PATTERN_SIZE = 2_000;
const MAX_PATTERN_LENGTH = 4_096;

/**
 * Of the states that an expression keeps to match faster: a configuration may have thousands of expressions, and making
 * states that are not met again costs more than matching without them.
 */
const STATES_BYTES = 64 * 1024;

export interface Pattern {
  /** Instructions of the compiled program, and what it takes to make its classes. */
  readonly size: number;
  /** Whether the expression is found anywhere in a text. */
  test(text: string): boolean;
}

/** Says what is wrong with an expression; the message begins with `expected`. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

const LINEAR = "is not supported, since every expression must be matched in linear time";

/** What other engines have and a linear one cannot, by how it is written. */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/^\(\?(?:=|!)/, "lookahead"],
  [/^\(\?<(?:=|!)/, "lookbehind"],
  [/^\(\?>/, "an atomic group"],
  [/^\(\?(?:\(|R|&|[+-]?\d)/, "a group that depends on another"],
  [/^\\[1-9gk]/, "a reference to a group"],
  [/^[*+?}]\+$|^\{[\d,]*\}\+$/, "a possessive repetition"],
];

function explain(error: RE2JSException): string {
  if (!(error instanceof RE2JSSyntaxException)) return "expected an RE2 expression";
  const reason = error
    .getDescription()
    .replace(/^error parsing regexp: /, "")
    .replace(/: `.*$/s, "");
  // The library writes the flag in front of the expression.
  const part = error.getPattern()?.replace(/^\(\?i\)/, "") ?? "";
  if (reason === "invalid repeat count") {
    return `expected an RE2 expression: at most 1000 repetitions, those around them included (${part})`;
  }
  const found = UNSUPPORTED.find(([written]) => written.test(part));
  if (found) return `expected an RE2 expression: ${found[1]} (${part.slice(0, 20)}) ${LINEAR}`;
  return `expected an RE2 expression: ${reason}${part === "" ? "" : ` (${part.slice(0, 40)})`}`;
}

const TOO_LARGE = `expected an expression whose compiled program has at most ${MAX_PATTERN_SIZE} instructions`;
const TOO_LARGE_CLASSES = "expected an expression with fewer or smaller classes, such as \\pL or [\\x80-\\x{ffff}]";

export function includesAny(text: string, literals: readonly string[]): boolean {
  for (const literal of literals) if (text.includes(literal)) return true;
  return false;
}

/** Sets up what matching keeps in memory when it is first needed. */
function matcherOf(compiled: RE2JS): (text: string) => boolean {
  let isBounded = false;
  return (text) => {
    if (!isBounded) {
      const { dfa } = compiled.re2();
      dfa.stateBudget = STATES_BYTES;
      dfa.memBudget = STATES_BYTES;
      isBounded = true;
    }
    return compiled.test(text);
  };
}

/** Whether the program of a text is certainly too large: then it is never compiled. */
function isFarTooLarge(text: string): boolean {
  // The estimate need not be exact: only twice as large is refused by it.
  return text.length > MAX_PATTERN_LENGTH || estimateSize(text) > 2 * MAX_PATTERN_SIZE;
}

/** What refusing a text takes, in the unit of sizes. */
export function attemptSize(text: string): number {
  return isFarTooLarge(text) ? 0 : estimateSize(text) + Math.min(classesSize(text), MAX_PATTERN_SIZE);
}

/** Throws a `PatternError` when the text is no RE2 expression or its program would be too large. */
export function compilePattern(text: string): Pattern {
  if (text.length > MAX_PATTERN_LENGTH) {
    throw new PatternError(`expected an expression of at most ${MAX_PATTERN_LENGTH} characters`);
  }
  if (isFarTooLarge(text)) throw new PatternError(TOO_LARGE);
  const classes = classesSize(text);
  if (classes > MAX_PATTERN_SIZE) throw new PatternError(TOO_LARGE_CLASSES);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new PatternError(explain(error));
  }
  const size = compiled.programSize() + classes;
  if (size > MAX_PATTERN_SIZE) throw new PatternError(`${TOO_LARGE}, not ${size}`);
  return { size, test: matcherOf(compiled) };
}

/**
 * As `compilePattern(text).test`, for an expression that has been checked: most texts have none of its literals, and it
 * is compiled for the first that has one. `folded` is the text in the form of values.ts.
 */
export function findPattern(expression: string): (text: string, folded: string) => boolean {
  const literals = requiredLiterals(expression);
  let test: Pattern["test"] | undefined;
  return (text, folded) => {
    if (literals && !includesAny(folded, literals)) return false;
    test ??= compilePattern(expression).test;
    return test(text);
  };
}

// A configuration is looked at whole with every change, and nearly all of its expressions were there before.
const sizes = new Map<string, number>();
const MAX_SIZES = 5_000;

/** The size of an expression's program; throws as `compilePattern` does. */
export function patternSize(text: string): number {
  let size = sizes.get(text);
  if (size === undefined) {
    ({ size } = compilePattern(text));
    if (sizes.size >= MAX_SIZES) sizes.clear();
    sizes.set(text, size);
  }
  return size;
}
