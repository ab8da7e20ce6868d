// Many parts, and which of them a text may have: each part is known by three of its units, which are looked for at every
// place of the text at once. What is found may be there; what is not, is not.

/** Shorter parts cannot be known. */
export const GRAM_LENGTH = 3;
const SLOT_BITS = 14;

function slotAt(text: string, at: number): number {
  const hash = (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 31 + text.charCodeAt(at + 2);
  return Math.imul(hash, 0x9e3779b1) >>> (32 - SLOT_BITS);
}

export class GramIndex {
  readonly #items = new Map<number, number[]>();
  readonly #isTaken = new Uint8Array(1 << SLOT_BITS);

  constructor(parts: readonly (readonly [part: string, item: number])[]) {
    const popularity = new Map<number, number>();
    for (const [part] of parts) {
      for (let at = 0; at + GRAM_LENGTH <= part.length; at++) {
        const slot = slotAt(part, at);
        popularity.set(slot, (popularity.get(slot) ?? 0) + 1);
      }
    }
    for (const [part, item] of parts) {
      const slot = rarestSlot(part, popularity);
      this.#isTaken[slot] = 1;
      const items = this.#items.get(slot);
      if (items) items.push(item);
      else this.#items.set(slot, [item]);
    }
  }

  /** Calls for the items of the parts that the text may have; for some of them several times. */
  visit(text: string, take: (items: readonly number[]) => void): void {
    for (let at = 0; at + GRAM_LENGTH <= text.length; at++) {
      const slot = slotAt(text, at);
      if (this.#isTaken[slot] === 1) take(this.#items.get(slot) as number[]);
    }
  }
}

/** Of the part's grams the one that tells it best from the others. */
function rarestSlot(part: string, popularity: ReadonlyMap<number, number>): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at + GRAM_LENGTH <= part.length; at++) {
    const slot = slotAt(part, at);
    const count = popularity.get(slot) ?? 0;
    if (count >= least) continue;
    best = slot;
    least = count;
  }
  return best;
}
