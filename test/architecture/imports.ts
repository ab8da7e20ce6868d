// What files import by relative paths, by values, by types, and by what is loaded later: the cycles of that, and how much depends on a file.
import { join, dirname } from "node:path";

const IMPORT = /^(?:import|export)\b[^;"=(]*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gm;

/** The paths that a file imports; both from the same folder on. */
export function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, fixed, later = ""]) => join(dirname(file), fixed ?? later));
}

/** The files of all cycles and those between them: what is left without files that import none of the others, or that none imports. */
export function findCycles(texts: Readonly<Record<string, string>>): string[] {
  const imports = new Map(Object.entries(texts).map(([file, text]) => [file, importsOf(file, text)]));
  let left = Object.keys(texts);
  for (;;) {
    const files = new Set(left);
    const imported = new Set(left.flatMap((file) => imports.get(file) ?? []));
    left = left.filter((file) => imported.has(file) && imports.get(file)?.some((other) => files.has(other)));
    if (left.length === files.size) return left;
  }
}

/** How many files import a file, through others too: fewer than import any file that it imports. */
export function countDependents(texts: Readonly<Record<string, string>>): (file: string) => number {
  const importers = Map.groupBy(
    Object.entries(texts).flatMap(([by, text]) => importsOf(by, text).map((file) => ({ file, by }))),
    ({ file }) => file,
  );
  return (file) => {
    const found = new Set([file]);
    for (const one of found) for (const { by } of importers.get(one) ?? []) found.add(by);
    return found.size - 1;
  };
}
