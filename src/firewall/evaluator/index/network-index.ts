// Finds which of many networks contain an address. The networks are sorted by their first address, and each links to the
// smallest network around it.
import { parseNetwork } from "../../../platform/kernel/network/network.ts";
import { isInNetwork, networkWords } from "../request/address.ts";
import type { AddressWords } from "../request/address.ts";

interface Entry<Content> {
  readonly words: AddressWords;
  readonly bits: number;
  readonly content: Content;
}

function compareEntries(one: Entry<unknown>, other: Entry<unknown>): number {
  for (const [at, word] of one.words.entries()) {
    const difference = word - (other.words[at] as number);
    if (difference !== 0) return difference;
  }
  return one.bits - other.bits;
}

/** Distinct networks of one address family. */
class SortedNetworks<Content> {
  readonly #width: number;
  readonly #starts: Uint32Array;
  readonly #bits: Uint8Array;
  readonly #parents: Int32Array;
  readonly #contents: readonly Content[];

  constructor(entries: readonly Entry<Content>[], width: number) {
    const sorted = entries.toSorted(compareEntries);
    this.#width = width;
    this.#starts = Uint32Array.from(sorted.flatMap(({ words }) => words));
    this.#bits = Uint8Array.from(sorted, ({ bits }) => bits);
    this.#parents = new Int32Array(sorted.length);
    this.#contents = sorted.map(({ content }) => content);
    // A network around this one sorts before it; the preceding entry is that network or is inside it.
    for (const [at, { words }] of sorted.entries()) this.#parents[at] = this.#containing(at - 1, words);
  }

  /** Follows the links from `from` to the first network that contains the address; -1: none. */
  #containing(from: number, address: AddressWords): number {
    let at = from;
    while (at >= 0 && !isInNetwork(address, this.#starts, at * this.#width, this.#bits[at] as number)) {
      at = this.#parents[at] as number;
    }
    return at;
  }

  #isAfter(at: number, address: AddressWords): boolean {
    for (let word = 0; word < this.#width; word++) {
      const difference = (this.#starts[at * this.#width + word] as number) - (address[word] as number);
      if (difference !== 0) return difference > 0;
    }
    return false;
  }

  /** The smallest network that contains an address; -1: none. */
  find(address: AddressWords): number {
    let low = 0;
    let high = this.#bits.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isAfter(middle, address)) high = middle;
      else low = middle + 1;
    }
    return this.#containing(low - 1, address);
  }

  visit(address: AddressWords, shouldStop: (content: Content) => boolean): void {
    for (let at = this.find(address); at >= 0; at = this.#parents[at] as number) {
      if (shouldStop(this.#contents[at] as Content)) return;
    }
  }
}

export interface NetworkIndex<Content> {
  contains(address: AddressWords): boolean;
  /** Calls `shouldStop` with the content of each network around the address, the smallest first, until it returns true. */
  visit(address: AddressWords, shouldStop: (content: Content) => boolean): void;
}

/**
 * Indexes items by network. `join` combines the items of one network, in their order, into its content. An item whose text
 * is not a network is left out: it contains no address.
 */
export function indexNetworks<Item, Content>(
  items: Iterable<readonly [network: string, item: Item]>,
  join: (items: readonly Item[]) => Content,
): NetworkIndex<Content> {
  const kinds = { ipv4: new Map<string, Entry<Item[]>>(), ipv6: new Map<string, Entry<Item[]>>() };
  for (const [text, item] of items) {
    const network = parseNetwork(text);
    if (!network) continue;
    const words = networkWords(network);
    const key = `${words.join(",")}/${network.bits}`;
    const entry = kinds[network.kind].get(key);
    if (entry) entry.content.push(item);
    else kinds[network.kind].set(key, { words, bits: network.bits, content: [item] });
  }
  const sort = (entries: Iterable<Entry<Item[]>>, width: number) =>
    new SortedNetworks(
      Array.from(entries, (entry) => ({ ...entry, content: join(entry.content) })),
      width,
    );
  const v4 = sort(kinds.ipv4.values(), 1);
  const v6 = sort(kinds.ipv6.values(), 4);
  const sortOf = (address: AddressWords) => (address.length === 1 ? v4 : v6);
  return {
    contains: (address) => sortOf(address).find(address) >= 0,
    visit: (address, shouldStop) => sortOf(address).visit(address, shouldStop),
  };
}
