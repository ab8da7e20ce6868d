// Which places of a source file a test file reaches, by the coverage of V8. Types are stripped in place, so offsets are those of the source.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Mutation } from "./mutations.ts";

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** The ranges of each thread that loaded the file. */
type Reach = ReadonlyMap<string, readonly (readonly Range[])[]>;

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** Reads the coverage that one run has left in a folder. */
export function readReach(folder: string, files: readonly string[]): Reach {
  const reach = new Map<string, Range[][]>(files.map((file) => [file, []]));
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as { readonly result: readonly Script[] };
    for (const { url, functions } of result) {
      const file = files.find((one) => url.endsWith(`/${one}`));
      if (file !== undefined) reach.get(file)?.push(functions.flatMap(({ ranges }) => ranges));
    }
  }
  return reach;
}

const size = ({ startOffset, endOffset }: Range) => endOffset - startOffset;

/** Whether any thread ran the place: of the ranges around it, the smallest decides. */
export function isReached(reach: Reach, file: string, { start, end }: Mutation): boolean {
  return (reach.get(file) ?? []).some((ranges) => {
    const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= start && end <= endOffset);
    const [smallest] = around.toSorted((a, b) => size(a) - size(b));
    return (smallest?.count ?? 0) > 0;
  });
}
