// A cache of parsed texts of the store. Callers choose the texts, so the cache is bounded by their length.

/** The parsed values take a few times as many bytes. */
const MAX_CHARACTERS = 4 * 1_024 * 1_024;

export class ParseCache<T> {
  readonly #parse: (text: string) => T;
  readonly #maxCharacters: number;
  readonly #values = new Map<string, T>();
  #characters = 0;

  constructor(parse: (text: string) => T, maxCharacters = MAX_CHARACTERS) {
    this.#parse = parse;
    this.#maxCharacters = maxCharacters;
  }

  get(text: string): T {
    const cached = this.#values.get(text);
    if (cached !== undefined) return cached;
    const parsed = this.#parse(text);
    this.#characters += text.length;
    // Values in use are parsed again at their next use.
    if (this.#characters > this.#maxCharacters) {
      this.#values.clear();
      this.#characters = text.length;
    }
    this.#values.set(text, parsed);
    return parsed;
  }
}
