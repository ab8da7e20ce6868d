// Derives required literals from an expression: every text that it matches contains at least one of them. Searching for
// literals is far cheaper than matching. When the syntax is too complex, no literals are derived.

import { classEnd } from "./pattern-size.ts";

/** Every matching text contains one of them, in the folded form of values.ts; null: unknown. */
export type Literals = readonly string[] | null;

const MAX_LITERALS = 32;
const MIN_LENGTH = 2;
const REPEAT = /[*+?]\??|\{(\d+)(?:,\d*)?\}\??/y;
const GROUP_START = /\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*(?::|(?<flags>\)))))?/y;
const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD_OR_SPACE = /[\w ]/;

function shortest(literals: readonly string[]): number {
  return literals.reduce((least, literal) => Math.min(least, literal.length), Number.POSITIVE_INFINITY);
}

function better(one: Literals, other: Literals): Literals {
  if (!one || !other) return one ?? other;
  const difference = shortest(one) - shortest(other);
  return difference > 0 || (difference === 0 && one.length <= other.length) ? one : other;
}

/** Parses an expression that is known to be valid. */
class LiteralParser {
  readonly #text: string;
  #at = 0;
  #isPlain = true;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Literals {
    const literals = this.#alternatives();
    return this.#isPlain && literals && shortest(literals) >= MIN_LENGTH ? literals : null;
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text);
    if (found) this.#at = expression.lastIndex;
    return found;
  }

  /** Parses up to the end of the group or the text. */
  #alternatives(): Literals {
    const all: string[] = [];
    let isKnown = true;
    for (;;) {
      const literals = this.#sequence();
      if (literals) all.push(...literals);
      else isKnown = false;
      if (this.#text[this.#at] !== "|") break;
      this.#at++;
    }
    return isKnown && all.length <= MAX_LITERALS ? all : null;
  }

  #sequence(): Literals {
    let best: Literals = null;
    let run = "";
    const endRun = () => {
      if (run !== "") best = better(best, [run]);
      run = "";
    };
    while (this.#isPlain && this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string;
      if (char === "|" || char === ")") break;
      const literal = this.#literal(char);
      const group = literal === null ? this.#other(char) : null;
      const repeat = this.#take(REPEAT);
      const isRequired = !repeat || repeat[0].startsWith("+") || Number(repeat[1]) > 0;
      // A repetition of a repetition would be an error; here it makes the result unknown.
      if (repeat) while (this.#take(REPEAT)) this.#isPlain = false;
      if (literal !== null && isRequired) run += literal;
      if (literal === null || repeat) endRun();
      if (group && isRequired) best = better(best, group);
    }
    endRun();
    return best;
  }

  /** Parses a character that stands for itself, and returns it folded. Returns null and consumes nothing otherwise. */
  #literal(char: string): string | null {
    if (WORD_OR_SPACE.test(char) || "-/:;,=&%@!#\"'<>~`_".includes(char)) {
      this.#at++;
      return char.toLowerCase();
    }
    const next = this.#text[this.#at + 1] ?? "";
    if (char !== "\\" || !PUNCTUATION.test(next)) return null;
    this.#at += 2;
    return next;
  }

  /** Parses what is not a literal. Returns the required literals of a group. */
  #other(char: string): Literals {
    if (char === "(") return this.#group();
    if (char === "[") this.#at = classEnd(this.#text, this.#at);
    else if (char === "\\") this.#skipEscape();
    else this.#at++;
    return null;
  }

  #group(): Literals {
    const start = this.#take(GROUP_START);
    if (!start) {
      this.#isPlain = false;
      return null;
    }
    if (start.groups?.["flags"] !== undefined) {
      // A repetition here would apply to the item before the flags.
      if (this.#take(REPEAT)) this.#isPlain = false;
      return null;
    }
    const literals = this.#alternatives();
    this.#at++;
    return literals;
  }

  #skipEscape(): void {
    const next = this.#text[this.#at + 1] ?? "";
    // Only escapes of classes and of assertions are known. Code points, octal numbers, named classes and quotations are not.
    if ("dDsSwWbBAz".includes(next) && next !== "") this.#at += 2;
    else this.#isPlain = false;
  }
}

export function requiredLiterals(expression: string): Literals {
  return new LiteralParser(expression).read();
}
