// What every text has in which an expression is found: a few literals, of which one must be there. Looking for them is
// far cheaper than matching. Where the syntax is not plain enough, nothing is said.

import { classEnd } from "./pattern-size.ts";

/** One of them is in every matching text, in the folded form of values.ts; null: nothing is known. */
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

/** Reads an expression that is known to be valid. */
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

  /** Up to the end of the group or the text. */
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
      // A repetition of a repetition would be an error, and is read here as nothing known.
      if (repeat) while (this.#take(REPEAT)) this.#isPlain = false;
      if (literal !== null && isRequired) run += literal;
      if (literal === null || repeat) endRun();
      if (group && isRequired) best = better(best, group);
    }
    endRun();
    return best;
  }

  /** The character that stands for itself here, folded; null, and nothing is read, when none does. */
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

  /** Reads what is no literal; answers what a group requires. */
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
      // A repetition here would be one of what stands before the flags.
      if (this.#take(REPEAT)) this.#isPlain = false;
      return null;
    }
    const literals = this.#alternatives();
    this.#at++;
    return literals;
  }

  #skipEscape(): void {
    const next = this.#text[this.#at + 1] ?? "";
    // Of code points, octal numbers, long classes and quotations only these are told apart: classes and edges.
    if ("dDsSwWbBAz".includes(next) && next !== "") this.#at += 2;
    else this.#isPlain = false;
  }
}

export function requiredLiterals(expression: string): Literals {
  return new LiteralParser(expression).read();
}
