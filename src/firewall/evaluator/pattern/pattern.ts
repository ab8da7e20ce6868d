// Regular expressions of conditions: RE2, case-insensitive. Matching takes time linear in the text.
import { RE2JS, RE2JSException, RE2JSSyntaxException } from "re2js";
import { requiredLiterals } from "./pattern-literals.ts";
import { classesSize, estimateSize } from "./pattern-size.ts";
import { checkTime, isTimeLimited } from "../time-limit.ts";

/** The largest allowed size of an expression: instructions of its program, plus the cost of its classes. */
export const MAX_PATTERN_SIZE = 2_000;
const MAX_PATTERN_LENGTH = 4_096;

/**
 * Memory for the states of the automaton that an expression caches. A configuration may have thousands of expressions, and
 * building states that are not reused costs more than matching without them.
 */
const STATES_BYTES = 64 * 1024;

export interface Pattern {
  /** Instructions of the compiled program, plus the cost of its classes. */
  readonly size: number;
  /** Whether the expression is found anywhere in a text. */
  test(text: string): boolean;
}

/** An expression that is not accepted. The message says why and begins with `expected`. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

const LINEAR = "is not supported, since every expression must be matched in linear time";

/** Syntax of other engines that cannot be matched in linear time. */
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
  // The library puts the flag in front of the expression.
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

/** Characters times instructions from which on a match may take as long as a whole evaluation may. */
const LONG_MATCH = 20_000;
/** Instructions, each of which may run at a character, between two looks at the clock. */
const INSTRUCTIONS = 500;

/** A text that looks at the clock while the library reads it: a match cannot be ended from outside. */
class TimedText extends String {
  readonly #charactersPerLook: number;
  #read = 0;

  constructor(text: string, size: number) {
    super(text);
    this.#charactersPerLook = Math.max(1, Math.floor(INSTRUCTIONS / size));
  }

  override charCodeAt(at: number): number {
    if (++this.#read % this.#charactersPerLook === 0) checkTime();
    return super.charCodeAt(at);
  }
}

/** Bounds the memory of the automaton at the first match, which builds it. */
function matcherOf(compiled: RE2JS, size: number): (text: string) => boolean {
  let isBounded = false;
  return (text) => {
    if (!isBounded) {
      const { dfa } = compiled.re2();
      dfa.stateBudget = STATES_BYTES;
      dfa.memBudget = STATES_BYTES;
      isBounded = true;
    }
    const isLong = isTimeLimited() && text.length * size > LONG_MATCH;
    return compiled.test(isLong ? (new TimedText(text, size) as unknown as string) : text);
  };
}

/** Whether the program is certainly too large, so that compiling it is not attempted. */
function isFarTooLarge(text: string): boolean {
  // The estimate is not exact, so it rejects only twice the allowed size.
  return text.length > MAX_PATTERN_LENGTH || estimateSize(text) > 2 * MAX_PATTERN_SIZE;
}

/** The cost of finding out that a text is not accepted, in the unit of sizes. */
export function attemptSize(text: string): number {
  return isFarTooLarge(text) ? 0 : estimateSize(text) + Math.min(classesSize(text), MAX_PATTERN_SIZE);
}

/** Throws a `PatternError` when the text is not an RE2 expression or its program would be too large. */
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
  return { size, test: matcherOf(compiled, size) };
}

export interface LazyPattern {
  /** `folded` is the text in the form of values.ts. */
  isFound(text: string, folded: string): boolean;
  /** Compiles the expression, and builds its automaton, now. */
  prepare(): void;
}

/**
 * Like `compilePattern(text).test`, for an expression that has been validated. It searches for required literals first, and
 * compiles the expression for the first text that contains one.
 */
export function findPattern(expression: string): LazyPattern {
  const literals = requiredLiterals(expression);
  let test: Pattern["test"] | undefined;
  const compiled = () => (test ??= compilePattern(expression).test);
  return {
    isFound: (text, folded) => (!literals || includesAny(folded, literals)) && compiled()(text),
    prepare: () => void compiled()(""),
  };
}

// Every change validates the whole configuration, of which nearly all expressions are unchanged.
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
