import type { CommandSpec } from "../command.ts";
import { showWait, withProgress } from "../progress.ts";
import type { Migration } from "../../serve/prepare-store.ts";
import { readSettings } from "../../serve/config/config.ts";

function describeMigration({ from, to, copy, data }: Migration): string {
  if (from === to) return `The database has schema version ${to} already (${data}).`;
  const done = `Brought the database from schema version ${from} to ${to} (${data}).`;
  return copy === null ? done : `${done}\nThe copy from before is in ${copy}`;
}

export const migrateCommand: CommandSpec<object> = {
  name: "migrate",
  summary: "create the database or bring it to this version's schema",
  description:
    "Create the database or bring it to this version's schema, as a server does when it starts. An embedded store is " +
    "copied before it is changed.",
  examples: ["reeve migrate", "reeve migrate --database-url postgres://reeve@db.internal/reeve"],
  async run({ flags, output }) {
    const onCommit = () => output.note("Commits all of it, which can take as long as the largest of these steps.");
    const { migrateStore } = await import("../../serve/prepare-store.ts");
    const migration = await withProgress("Copying", (onProgress) =>
      migrateStore(
        readSettings(flags),
        {
          onProgress,
          onWait: showWait,
          onMigration: ({ version, name, to, part, parts }) =>
            output.note(`Schema version ${version} of ${to}: ${name}${part === 1 ? "" : `, part ${part} of ${parts}`}`),
          onCommit,
        },
        Date.now,
      ),
    );
    output.result(migration, describeMigration(migration));
  },
};
