// Finds the path that a request probably meant, for the message about an unknown one: most differ in the version or in one word.
import { nearestName, singular } from "../kernel/text/nearest-name.ts";

/** Longer paths and segments are no slips, and a request can send any length. */
const [MAX_SEGMENTS, MAX_LENGTH] = [8, 40];
const VERSION = /^v\d+$/i;
const isParameter = (segment: string) => segment.startsWith("{");

interface Known {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
}

function withoutVersion(path: string): readonly string[] {
  const segments = path.split("/").slice(1);
  // As other servers have them.
  if (segments.length > 1 && segments[0]?.toLowerCase() === "api") segments.shift();
  return VERSION.test(segments[0] ?? "") ? segments.slice(1) : segments;
}

/** How many words of a path differ from a known one by a slip; null: they differ by more, or no word of one with parameters is right. */
function slipsTo(known: readonly string[], given: readonly string[]): number | null {
  let slips = 0;
  let isRight = !known.some(isParameter);
  for (const [at, word] of known.entries()) {
    const other = (given[at] as string).toLowerCase();
    if (isParameter(word)) {
      if (other === "") return null;
    } else if (word.toLowerCase() === other) isRight = true;
    else if (nearestName(other, [word.toLowerCase()]) === undefined) return null;
    else slips++;
  }
  return isRight ? slips : null;
}

/** The shortest path that ends in the last word of an unknown one, or begins with all of it. */
function ofLastWord(asked: string, given: readonly string[], known: readonly Known[]): string | undefined {
  const word = singular(given.at(-1)?.toLowerCase() ?? "");
  const isMeant = ({ segments }: Known) => {
    const last = segments.at(-1) ?? "";
    const isBelow = segments.length > given.length && given.every((one, at) => one.toLowerCase() === segments[at]);
    return isBelow || (!isParameter(last) && singular(last) === word);
  };
  const rank = ({ method, segments }: Known) => 2 * segments.length + (method === asked ? 0 : 1);
  const found = word === "" ? [] : known.filter(isMeant);
  return found.toSorted((one, other) => rank(one) - rank(other))[0]?.path;
}

/** Returns a function that finds the nearest of the paths, with its parameters in braces, as they are given. */
export function createPathFinder(
  endpoints: readonly Omit<Known, "segments">[],
): (method: string, url: string) => string | undefined {
  const known = endpoints.map(({ method, path }) => ({ method, path, segments: withoutVersion(path) }));
  const byLength = Map.groupBy(known, ({ segments }) => segments.length);
  return (asked, url) => {
    const given = withoutVersion(url.replace(/[?#][^]*$/, "").replace(/\/$/, ""));
    if (given.length > MAX_SEGMENTS || given.some(({ length }) => length > MAX_LENGTH)) return undefined;
    let nearest: { readonly path: string; readonly distance: readonly number[] } | undefined;
    for (const { method, path, segments } of byLength.get(given.length) ?? []) {
      const slips = slipsTo(segments, given);
      if (slips === null) continue;
      // `/v2/teams/{teamId}` fits `/v2/teams/list`, but a path of words alone is what was meant.
      const distance = [slips, segments.filter(isParameter).length, method === asked ? 0 : 1];
      const at = distance.findIndex((one, place) => one !== nearest?.distance[place]);
      if (!nearest || (at >= 0 && (distance[at] as number) < (nearest.distance[at] as number)))
        nearest = { path, distance };
    }
    return nearest?.path ?? ofLastWord(asked, given, known);
  };
}
