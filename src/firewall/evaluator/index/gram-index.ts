// Finds which of many substrings a text may contain. Each substring is indexed by one of its trigrams, and every trigram of
// the text is looked up. There are false positives, because trigrams are hashed, and no false negatives.

/** Code units of a trigram. Shorter substrings cannot be indexed. */
export const GRAM_LENGTH = 3;
const MIN_SLOT_BITS = 6;
const MAX_SLOT_BITS = 14;
/** 2^4 slots per substring keep false positives rare. */
const SPARE_BITS = 4;

function hashOf(first: number, second: number, third: number): number {
  return Math.imul((first * 31 + second) * 31 + third, 0x9e3779b1);
}

function hashAt(text: string, at: number): number {
  return hashOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
}

export class GramIndex {
  readonly #items = new Map<number, number[]>();
  readonly #shift: number;
  /** By slot: 0 when it is empty, else the number of the visit that last found it. */
  readonly #visits: Uint32Array;
  #visit = 1;

  constructor(substrings: readonly (readonly [substring: string, item: number])[]) {
    const bits = Math.ceil(Math.log2(substrings.length + 1)) + SPARE_BITS;
    const slotBits = Math.min(MAX_SLOT_BITS, Math.max(MIN_SLOT_BITS, bits));
    this.#shift = 32 - slotBits;
    this.#visits = new Uint32Array(2 ** slotBits);
    const popularity = new Map<number, number>();
    for (const [substring] of substrings) {
      for (let at = 0; at + GRAM_LENGTH <= substring.length; at++) {
        const slot = hashAt(substring, at) >>> this.#shift;
        popularity.set(slot, (popularity.get(slot) ?? 0) + 1);
      }
    }
    for (const [substring, item] of substrings) {
      const slot = rarestSlot(substring, this.#shift, popularity);
      this.#visits[slot] = 1;
      const items = this.#items.get(slot);
      if (items) items.push(item);
      else this.#items.set(slot, [item]);
    }
  }

  /** Calls `take` with the items of each substring that the text may contain. */
  visit(text: string, take: (items: readonly number[]) => void): void {
    const now = this.#visit === 0xffffffff ? 2 : this.#visit + 1;
    this.#visit = now;
    const visits = this.#visits;
    const shift = this.#shift;
    // Most of the time of most decisions is spent here: each code unit is read once.
    let first = text.charCodeAt(0);
    let second = text.charCodeAt(1);
    for (let at = 2; at < text.length; at++) {
      const third = text.charCodeAt(at);
      const slot = hashOf(first, second, third) >>> shift;
      first = second;
      second = third;
      const visit = visits[slot] as number;
      // Take each slot once per visit: a text may repeat one trigram.
      if (visit === 0 || visit === now) continue;
      visits[slot] = now;
      take(this.#items.get(slot) as number[]);
    }
  }
}

/** The slot of the substring's trigram that the fewest substrings contain. */
function rarestSlot(substring: string, shift: number, popularity: ReadonlyMap<number, number>): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at + GRAM_LENGTH <= substring.length; at++) {
    const slot = hashAt(substring, at) >>> shift;
    const count = popularity.get(slot) ?? 0;
    if (count >= least) continue;
    best = slot;
    least = count;
  }
  return best;
}
