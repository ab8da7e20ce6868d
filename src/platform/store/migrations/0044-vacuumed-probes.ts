import type { Engine } from "../../kernel/tx.ts";
import type { Migration } from "./migration.ts";

/** Lets PostgreSQL vacuum the probes, of which none is left behind: each would stay in the file for good. */
export const vacuumedProbes: Migration = {
  version: 44,
  name: "vacuumed-probes",
  oldestBeside: 37,
  statements: () => [],
  derived: (engine: Engine) =>
    engine === "sqlite" ? [] : ["alter table write_probes reset (autovacuum_enabled, toast.autovacuum_enabled)"],
};
