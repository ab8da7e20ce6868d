// What a list says of its counts, beside its items.
import { MOST_COUNTED } from "../../platform/kernel/counts.ts";

/** `In all: 3 pending, more than 1000 delivered.`; null: they were not asked for. */
export function countsNote(counts: unknown): string | null {
  if (counts === undefined) return null;
  const words = Object.entries(counts as Readonly<Record<string, number>>).map(
    ([kind, count]) => `${count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : count} ${kind}`,
  );
  return `In all: ${words.join(", ")}.`;
}
