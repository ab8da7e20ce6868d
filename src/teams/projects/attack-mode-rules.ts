// Computes the state of attack challenge mode at a time. The clock decides, not the row: at its end the mode is off on every
// node at once, whether the end is recorded or not.

/** The stored row; undefined: the mode was never set. */
type Stored =
  | {
      readonly isEnabled: number;
      readonly activeUntil: number | null;
      readonly updatedAt: number;
      readonly revision: number;
      readonly enabledAt?: number | null;
    }
  | undefined;

export interface AttackMode {
  readonly isEnabled: boolean;
  /** The time at which the mode ends, ms; null: never, or it is off. */
  readonly activeUntil: number | null;
  /** When it was switched on, ms: putting off its end does not change that. Null: it is off. */
  readonly since: number | null;
  /** Null: the mode was never set. */
  readonly updatedAt: number | null;
  /** 0: the mode was never set. */
  readonly revision: number;
}

/** Whether the mode has ended and the row does not say so yet. */
export function isEndDue(row: Stored, now: number): boolean {
  return row !== undefined && row.activeUntil !== null && row.activeUntil <= now;
}

/** The state at a time. It is the same before and after the end is recorded. */
export function attackModeAt(row: Stored, now: number): AttackMode {
  if (!row) return { isEnabled: false, activeUntil: null, since: null, updatedAt: null, revision: 0 };
  const { activeUntil, updatedAt, revision } = row;
  if (isEndDue(row, now))
    return { isEnabled: false, activeUntil: null, since: null, updatedAt: activeUntil, revision: revision + 1 };
  const isEnabled = row.isEnabled === 1;
  const since = isEnabled ? (row.enabledAt ?? updatedAt) : null;
  return { isEnabled, activeUntil, since, updatedAt, revision };
}
