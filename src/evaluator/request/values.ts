// The values that a request has in one place, with the forms in which conditions read them, made when first asked for.

// What an expression without regard to case finds as an `s`, though its lower case is none.
export const LONG_S = "\u017f";

/** Of a text in lower case: every ASCII letter that an expression without regard to case finds there is there itself. */
export function foldLower(lower: string): string {
  return lower.includes(LONG_S) ? lower.replaceAll(LONG_S, "s") : lower;
}

export class Values {
  readonly texts: readonly string[];
  #lowers: readonly string[] | undefined;
  #folded: readonly string[] | undefined;

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  get lowers(): readonly string[] {
    return (this.#lowers ??= this.texts.map((text) => text.toLowerCase()));
  }

  get folded(): readonly string[] {
    return (this.#folded ??= this.lowers.map(foldLower));
  }
}

export const NO_VALUES = new Values([]);
