// Many beginnings, and which of them a text has: sorted, each with the longest shorter one that it begins with itself.

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
    // By units, as `<` compares, and not by any language.
    const sorted = [...found.keys()].toSorted((one, other) => (one < other ? -1 : 1));
    this.#prefixes = sorted;
    this.#items = sorted.map((prefix) => found.get(prefix) as Item[]);
    this.#parents = new Int32Array(sorted.length);
    // What a prefix begins with stands before it, and the one before begins with that too or is it.
    for (const [at, prefix] of sorted.entries()) this.#parents[at] = this.#beginning(at - 1, prefix);
  }

  /** The prefix at `from`, or one that it begins with, that a text has; -1: none. */
  #beginning(from: number, text: string): number {
    let at = from;
    while (at >= 0 && !text.startsWith(this.#prefixes[at] as string)) at = this.#parents[at] as number;
    return at;
  }

  /** Calls for the items of each prefix that the text has. */
  visit(text: string, take: (items: readonly Item[]) => void): void {
    let low = 0;
    let high = this.#prefixes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#prefixes[middle] as string) > text) high = middle;
      else low = middle + 1;
    }
    for (let at = this.#beginning(low - 1, text); at >= 0; at = this.#parents[at] as number) {
      take(this.#items[at] as readonly Item[]);
    }
  }
}
