// What attack challenge mode is at a time. The clock decides, not the row: at its end it is off on every node at once,
// whether the end is recorded yet or not.

/** What the store says; undefined when nobody ever set it. */
type Stored =
  | {
      readonly is_enabled: number;
      readonly active_until: number | null;
      readonly updated_at: number;
      readonly revision: number;
    }
  | undefined;

export interface AttackMode {
  readonly isEnabled: boolean;
  /** When it ends by itself, ms; null: never, or it is off. */
  readonly activeUntil: number | null;
  /** Null: it never was set. */
  readonly updatedAt: number | null;
  /** 0: it never was set. */
  readonly revision: number;
}

/** Whether it has ended and the row does not say so yet. */
export function isEndDue(row: Stored, now: number): boolean {
  return row !== undefined && row.active_until !== null && row.active_until <= now;
}

/** Before and after the end was recorded, this is the same. */
export function attackModeAt(row: Stored, now: number): AttackMode {
  if (!row) return { isEnabled: false, activeUntil: null, updatedAt: null, revision: 0 };
  const { active_until: activeUntil, updated_at: updatedAt, revision } = row;
  if (isEndDue(row, now))
    return { isEnabled: false, activeUntil: null, updatedAt: activeUntil, revision: revision + 1 };
  return { isEnabled: row.is_enabled === 1, activeUntil, updatedAt, revision };
}
