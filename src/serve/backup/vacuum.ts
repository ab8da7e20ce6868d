// Vacuums a store on PostgreSQL after its tables were filled.
import type { Settings } from "../config/config.ts";
import { openDatabase } from "../open-database.ts";
import { SCHEMA_VERSION } from "../../platform/store/migrations/migrate.ts";
import { listTables } from "../../platform/store/tables/inventory.ts";

/** A session without the limit of time of others: VACUUM runs outside of a transaction, which could set its own. */
function withoutLimit(url: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}statement_timeout=0`;
}

/**
 * Makes the statistics by which PostgreSQL plans, and lets it read rows from indexes alone, which autovacuum would do later. The role
 * owns the tables, because it has just made them. Returns why it failed; null: it did not.
 */
export async function vacuumStore(settings: Settings & { readonly databaseUrl: string }): Promise<string | null> {
  const names = listTables(SCHEMA_VERSION).map(({ name }) => name);
  try {
    const database = await openDatabase({ ...settings, databaseUrl: withoutLimit(settings.databaseUrl) });
    try {
      await database.admin.exec(`vacuum (analyze) ${names.join(", ")}`);
      return null;
    } finally {
      await database.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}
