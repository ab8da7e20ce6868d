// The values of one operand, with the forms that conditions compare, which are derived on first use.

// U+017F: a case-insensitive expression matches it as an `s`, although it is its own lower case.
export const LONG_S = "\u017f";

/** Folds a text in lower case, so that it contains every ASCII letter that a case-insensitive expression finds in it. */
export function foldLower(lower: string): string {
  return lower.includes(LONG_S) ? lower.replaceAll(LONG_S, "s") : lower;
}

export class Values {
  readonly texts: readonly string[];
  #lowers: readonly string[] | undefined;
  #joined: string | undefined;
  #folded: readonly string[] | undefined;

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  get lowers(): readonly string[] {
    return (this.#lowers ??= this.texts.map((text) => text.toLowerCase()));
  }

  /** All of them in lower case in one text, with NUL between them. */
  get joined(): string {
    return (this.#joined ??= this.texts.join("\0").toLowerCase());
  }

  get folded(): readonly string[] {
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
