// The program as a release with one more migration, beside whose processes those of the present one go on.
import type { Migration } from "../../src/platform/store/migrations/migration.ts";
import { MIGRATIONS } from "../../src/platform/store/migrations/migrations.ts";

const present = (MIGRATIONS.at(-1) as Migration).version;
(MIGRATIONS as Migration[]).push({
  version: present + 1,
  name: "of-a-newer-release",
  oldestBeside: present,
  statements: ({ text }) => [`alter table teams add column motto ${text}`, "create index teams_motto on teams (motto)"],
});
// After the migration is there.
void import("../../src/cli/main.ts");
