import type { Engine } from "../../kernel/tx.ts";
import type { Migration } from "./migration.ts";

/** Rows that only show whether the store can be written (probe.ts). They are in no archive. */
export const writeProbes: Migration = {
  version: 37,
  name: "write-probes",
  statements: () => [],
  derived: (engine: Engine) => {
    const table = "create table if not exists write_probes (id text primary key, value text not null)";
    if (engine === "sqlite") return [table];
    // Stored as it is and never vacuumed, so that each row needs pages that the table does not have yet.
    const storage = "alter table write_probes alter column value set storage external";
    return [`${table} with (autovacuum_enabled = off, toast.autovacuum_enabled = off)`, storage];
  },
};
