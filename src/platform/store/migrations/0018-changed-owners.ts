import type { Engine } from "../../kernel/tx.ts";
import type { Migration } from "./migration.ts";

/** Whose rows the latest commits have changed: see platform/store/sqlite/changed-owners.ts. PostgreSQL got its table later. */
export const changedOwners: Migration = {
  version: 18,
  name: "changed-owners",
  statements: () => [],
  derived: (engine: Engine) =>
    engine === "sqlite" ? [`create table changed_owners (sequence integer primary key, owner_ids text)`] : [],
};
