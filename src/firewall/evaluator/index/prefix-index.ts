// Finds which of many prefixes a text begins with. The prefixes are sorted, and each links to the longest shorter prefix
// that it begins with itself.

export class PrefixIndex<Item> {
  readonly #prefixes: readonly string[];
  readonly #parents: Int32Array;
  readonly #items: readonly (readonly Item[])[];

  constructor(prefixes: Iterable<readonly [prefix: string, item: Item]>) {
    const found = new Map<string, Item[]>();
    for (const [prefix, item] of prefixes) {
      const items = found.get(prefix);
      if (items) items.push(item);
      else found.set(prefix, [item]);
    }
    // `<` compares code units, independent of any locale.
    const sorted = [...found.keys()].toSorted((one, other) => (one < other ? -1 : 1));
    this.#prefixes = sorted;
    this.#items = sorted.map((prefix) => found.get(prefix) as Item[]);
    this.#parents = new Int32Array(sorted.length);
    // A prefix of a prefix sorts before it; the preceding entry is that prefix or begins with it.
    for (const [at, prefix] of sorted.entries()) this.#parents[at] = this.#longestPrefix(at - 1, prefix);
  }

  /** Follows the links from `from` to the first prefix that the text begins with; -1: none. */
  #longestPrefix(from: number, text: string): number {
    let at = from;
    while (at >= 0 && !text.startsWith(this.#prefixes[at] as string)) at = this.#parents[at] as number;
    return at;
  }

  /** Calls `take` with the items of each prefix of the text, the longest first. */
  visit(text: string, take: (items: readonly Item[]) => void): void {
    let low = 0;
    let high = this.#prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#prefixes[middle] as string) > text) high = middle;
      else low = middle + 1;
    }
    for (let at = this.#longestPrefix(low - 1, text); at >= 0; at = this.#parents[at] as number) {
      take(this.#items[at] as readonly Item[]);
    }
  }
}
