// Finds the name that was probably meant, for messages about unknown names.

/** Edits of one character (add, drop, replace, swap neighbours) between two words: optimal string alignment. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replace = (last[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      let best = Math.min(replace, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) best = Math.min(best, (beforeLast[j - 2] as number) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] as number;
}

const MAX_DISTANCE = 4;

/** The names that are near enough to be a typing error, and about as near as the nearest, which is first. */
export function nearestNames(name: string, names: readonly string[], count: number): string[] {
  const limit = Math.min(MAX_DISTANCE, Math.ceil(name.length / 3));
  const near = names
    .filter(({ length }) => Math.abs(length - name.length) <= limit)
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance);
  const least = near[0]?.distance ?? 0;
  return near
    .filter(({ distance }) => distance <= least + 1)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** The nearest name, if it is near enough to be a typing error. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  return nearestNames(name, names, 1)[0];
}

/** Longer names are cut before they are compared, because a request can send any length. */
const MAX_NAME_LENGTH = 40;

/** The end of an error message about an unknown name: the name that was probably meant, if there is one. */
export function nearestHint(name: string, names: readonly string[]): string {
  const nearest = nearestName(name.slice(0, MAX_NAME_LENGTH), names);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** The error message for an unknown member of an object. */
export function unknownKey(name: string, known: readonly string[]): string {
  return `unknown key${nearestHint(name, known)}`;
}
