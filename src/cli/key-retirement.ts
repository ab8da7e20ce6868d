// What `reeve keys retire` asks and tells.

export interface KeyRetirement {
  readonly id: string;
  /** The file that it was removed from. */
  readonly removedFrom: string | null;
  /** The file where it is kept for backups that need it. */
  readonly keptIn: string | null;
  /** When the active key took its place, ms: backups from before need it. Null: no key is active. */
  readonly since: number | null;
  /** Settings and files of the operator that still hold it. */
  readonly remainsIn: readonly string[];
}

/** Is told when the active key took the place of the one to retire, and rejects to keep that. */
export type ApproveRetirement = (retiring: Pick<KeyRetirement, "since">) => Promise<void>;
