// What differs between two texts, line by line.

export interface ComparedLine {
  readonly kind: "same" | "old" | "new";
  readonly text: string;
}

/** Above this product of lines the middle is shown as replaced: a comparison takes as many steps. */
const MOST_STEPS = 1_000_000;

/** The longest lines that both have, in order, stay; of the others the old ones come first. */
export function compareLines(before: string, after: string): readonly ComparedLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const same = (lines: readonly string[]) => lines.map((text) => ({ kind: "same", text }) as const);
  return [
    ...same(old.slice(0, start)),
    ...compareMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

/** Lengths of what both have in common from each pair of lines on. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: old.length + 1 }, () => Array.from({ length: now.length + 1 }, () => 0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const [row, below] = [lengths[i] ?? [], lengths[i + 1] ?? []];
      row[j] = old[i] === now[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return lengths;
}

function compareMiddle(old: readonly string[], now: readonly string[]): readonly ComparedLine[] {
  const lines: ComparedLine[] = [];
  const lengths = old.length * now.length > MOST_STEPS ? null : commonLengths(old, now);
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [left, right] = [old[i], now[j]];
    if (lengths && left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      i++;
      j++;
    } else if (
      left !== undefined &&
      (right === undefined || !lengths || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      lines.push({ kind: "old", text: left });
      i++;
    } else {
      lines.push({ kind: "new", text: right ?? "" });
      j++;
    }
  }
  return lines;
}
