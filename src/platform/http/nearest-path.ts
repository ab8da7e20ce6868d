// Finds the path that a request probably meant, for the message about an unknown one: most differ in the version or in one word.
import type { Operation } from "../kernel/operation-registry.ts";
import { nearestName } from "../kernel/text/nearest-name.ts";

/** Longer paths and segments are no slips, and a request can send any length. */
const [MAX_SEGMENTS, MAX_LENGTH] = [8, 40];
const VERSION = /^v\d+$/i;
const isParameter = (segment: string) => segment.startsWith(":");

interface Known {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly string[];
}

function withoutVersion(path: string): readonly string[] {
  const segments = path.split("/").slice(1);
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

/** Returns a function that finds the nearest of the operations' paths, with its parameters in braces. */
export function createPathFinder(operations: Iterable<Operation>): (method: string, url: string) => string | undefined {
  const byLength = new Map<number, Known[]>();
  for (const { endpoint } of operations) {
    const segments = withoutVersion(endpoint.path);
    const same = byLength.get(segments.length) ?? [];
    byLength.set(segments.length, [...same, { method: endpoint.method, path: endpoint.path, segments }]);
  }
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
    return nearest?.path.replace(/:(\w+)/g, "{$1}");
  };
}
