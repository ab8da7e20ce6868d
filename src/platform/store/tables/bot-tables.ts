// The table of verified bots as Kysely sees it.

export interface BotTables {
  verified_bots: VerifiedBotsTable;
}

/** What a bot publishes about itself. */
interface VerifiedBotsTable {
  /** Where it is published, as configured. */
  url: string;
  name: string;
  kind: "ranges" | "agent";
  /** JSON array: networks, or public keys. */
  facts: string;
  /** When it was last read there; ms. */
  checked_at: number;
}
