// Whether the store has space, told once for each change: what has none fails often.

/** Small changes may still fit where others do not: there is space again when nothing has failed for so long. */
const CALM_MS = 2_000;

export interface SpaceWatch {
  noteFull(error: Error): void;
  /** Something was written. */
  noteWritten(): void;
  /** With the error when the space has come to its end, and with null when there is some again. */
  onChange(hear: (error: Error | null) => void): void;
}

export function watchSpace(): SpaceWatch {
  const listeners: ((error: Error | null) => void)[] = [];
  let fullAt: number | undefined;

  function tell(error: Error | null): void {
    for (const hear of listeners) hear(error);
  }

  return {
    noteFull(error) {
      const isNews = fullAt === undefined;
      fullAt = performance.now();
      if (isNews) tell(error);
    },
    noteWritten() {
      if (fullAt === undefined || performance.now() - fullAt < CALM_MS) return;
      fullAt = undefined;
      tell(null);
    },
    onChange: (hear) => void listeners.push(hear),
  };
}
