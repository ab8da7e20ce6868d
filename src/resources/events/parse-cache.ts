// A cache of parsed texts of the store. Bounded by the length of the texts, since others write them.

/** A few times as many bytes, with what they say. */
const MAX_CHARACTERS = 4 * 1_024 * 1_024;

export class ParseCache<T> {
  readonly #read: (text: string) => T;
  readonly #maxCharacters: number;
  readonly #known = new Map<string, T>();
  #characters = 0;

  constructor(read: (text: string) => T, maxCharacters = MAX_CHARACTERS) {
    this.#read = read;
    this.#maxCharacters = maxCharacters;
  }

  get(text: string): T {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const reading = this.#read(text);
    this.#characters += text.length;
    // Those in use come back at once.
    if (this.#characters > this.#maxCharacters) {
      this.#known.clear();
      this.#characters = text.length;
    }
    this.#known.set(text, reading);
    return reading;
  }
}
