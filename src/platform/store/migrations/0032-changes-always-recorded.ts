import type { Engine } from "../../kernel/tx.ts";
import { WATCHED } from "./0019-changed-owners-on-postgres.ts";
import type { Migration } from "./migration.ts";

/** Sessions that replay changes (`session_replication_role = replica`), such as replication and `pg_restore`, skip other triggers. */
export const changesAlwaysRecorded: Migration = {
  version: 32,
  name: "changes-always-recorded",
  statements: () => [],
  derived: (engine: Engine) =>
    engine === "sqlite" ? [] : WATCHED.map((table) => `alter table ${table} enable always trigger record_change`),
};
