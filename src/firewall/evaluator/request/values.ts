// The values of one operand, with the forms that conditions compare, which are derived on first use.
import { countCharacters } from "../time-limit.ts";

// U+017F: a case-insensitive expression matches it as an `s`, although it is its own lower case.
export const LONG_S = "\u017f";

function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (text.length >= MANY_CHARACTERS) countCharacters(text.length);
  return lower;
}

/** Folds a text in lower case, so that it contains every ASCII letter that a case-insensitive expression finds in it. */
export function foldLower(lower: string): string {
  return lower.includes(LONG_S) ? lower.replaceAll(LONG_S, "s") : lower;
}

/** From so many characters on, each look at the values is counted. */
const MANY_CHARACTERS = 1_024;

export class Values {
  readonly texts: readonly string[];
  readonly #characters: number;
  #lowers: readonly string[] | undefined;
  #joined: string | undefined;
  #folded: readonly string[] | undefined;

  constructor(texts: readonly string[]) {
    this.texts = texts;
    let characters = 0;
    for (const { length } of texts) characters += length;
    this.#characters = characters;
  }

  /** The caller compares all forms. */
  #count(): void {
    if (this.#characters >= MANY_CHARACTERS) countCharacters(this.#characters);
  }

  get lowers(): readonly string[] {
    this.#count();
    return (this.#lowers ??= this.texts.map(lowerCase));
  }

  /** All of them in lower case in one text, with NUL between them. */
  get joined(): string {
    this.#count();
    return (this.#joined ??= lowerCase(this.texts.join("\0")));
  }

  get folded(): readonly string[] {
    this.#count();
    return (this.#folded ??= this.lowers.map(foldLower));
  }
}

export const NO_VALUES = new Values([]);

/** Values by name. */
export interface NamedValues {
  /** `NO_VALUES` where there are none. */
  of(name: string): Values;
  eachName(): Iterable<string>;
}
