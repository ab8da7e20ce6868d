// Patterns over a whole text, matched in time that grows with the number of stars times the length of the text, whatever they are.

/** Whether a text fits. */
export type Glob = (text: string) => boolean;

const STAR = /(\*\*?)/;

/** How much of its own start each start of a literal ends with (Knuth, Morris and Pratt). */
function fallbacksOf(literal: string): readonly number[] {
  const fallbacks = [0, 0];
  let matched = 0;
  for (let at = 1; at < literal.length; at++) {
    while (matched > 0 && literal[at] !== literal[matched]) matched = fallbacks[matched] as number;
    if (literal[at] === literal[matched]) matched++;
    fallbacks.push(matched);
  }
  return fallbacks;
}

/** Marks where a literal begins in a text. */
function markStarts(literal: string, fallbacks: readonly number[], text: string): Uint8Array {
  const starts = new Uint8Array(text.length + 1);
  if (literal === "") return starts.fill(1);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    while (matched > 0 && (matched === literal.length || text[at] !== literal[matched])) {
      matched = fallbacks[matched] as number;
    }
    if (text[at] === literal[matched]) matched++;
    if (matched === literal.length) starts[at + 1 - literal.length] = 1;
  }
  return starts;
}

/**
 * `**` stands for any characters, and `*` for any but those of `separators`. A `*` of the text is a character, which only a star fits.
 */
export function createGlob(pattern: string, separators = ""): Glob {
  const [start = "", ...rest] = pattern.split(STAR);
  const parts: { readonly isBounded: boolean; readonly literal: string; readonly fallbacks: readonly number[] }[] = [];
  for (let i = 0; i < rest.length; i += 2) {
    const literal = rest[i + 1] ?? "";
    parts.push({ isBounded: rest[i] === "*" && separators !== "", literal, fallbacks: fallbacksOf(literal) });
  }
  const end = parts.at(-1)?.literal;
  return (text) => {
    if (end === undefined) return text === start;
    if (!text.startsWith(start) || !text.endsWith(end)) return false;
    // Where what comes before the next star may end.
    let ends = new Uint8Array(text.length + 1);
    ends[start.length] = 1;
    for (const { isBounded, literal, fallbacks } of parts) {
      const starts = markStarts(literal, fallbacks, text);
      const next = new Uint8Array(text.length + 1);
      let isInStar = false;
      for (let at = 0; at <= text.length; at++) {
        if (isBounded && at > 0 && separators.includes(text[at - 1] as string)) isInStar = false;
        isInStar ||= ends[at] === 1;
        if (isInStar && starts[at] === 1) next[at + literal.length] = 1;
      }
      ends = next;
    }
    return ends[text.length] === 1;
  };
}
