import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { formatSize } from "../output.ts";
import { withProgress } from "../progress.ts";
import type { BackupMade, BackupRequest } from "../../serve/backup/backup.ts";
import { readSettings } from "../../serve/config/config.ts";

interface Options {
  readonly to?: string;
  readonly force?: true;
}

const OPTIONS = [
  new Option(
    "--to <file>",
    "file to write, compressed when its name ends in .gz or .zst; by default one in this folder",
  ),
  new Option("--force", "replace the file if it exists"),
];

const readRequest = ({ to, force }: Options): BackupRequest => ({ file: to ?? null, force: force ?? false });

function describeKeys({ masterKeys }: BackupMade): string[] {
  if (masterKeys.length === 0) return [];
  return [
    `It holds no master key. What is sealed in it can't be read without ${masterKeys.join(" and ")}: keep that apart from it.`,
  ];
}

function describe(made: BackupMade): string {
  const { file, schemaVersion, rows, bytes, sha256, content } = made;
  return [
    `Wrote ${rows} rows of schema version ${schemaVersion} to ${file} (${formatSize(bytes)}).`,
    `SHA-256 of the file:     ${sha256}`,
    ...(content === null ? [] : [`SHA-256 of the content:  ${content}`]),
    ...describeKeys(made),
  ].join("\n");
}

export const backupCommand: CommandSpec<Options> = {
  name: "backup",
  summary: "write everything into a file, beside a running server",
  description:
    "Write everything that the store holds, as it is at one moment, into a file that `reeve restore` reads. Works beside running " +
    "servers. The embedded store is copied as a database; of PostgreSQL the file is what `reeve export` writes. Secrets stay sealed, " +
    "and the master keys are not in it: back those up apart. /docs/backup of the server says how often, and how to restore.",
  examples: [
    "reeve backup",
    "reeve backup --to /srv/backups/reeve.db.zst --force",
    "reeve backup --database-url postgres://reeve@db.internal/reeve --to reeve.ndjson.zst --json",
  ],
  options: OPTIONS,
  async run({ flags, options, output }) {
    const { backUpStore } = await import("../../serve/backup/backup.ts");
    const made = await withProgress("Copying", (show) =>
      backUpStore(readSettings(flags), readRequest(options), show, Date.now),
    );
    output.result(made, describe(made));
  },
};

export const exportCommand: CommandSpec<Options> = {
  name: "export",
  summary: "write everything as lines of JSON, for the other engine too",
  description:
    "Write everything that the store holds, as it is at one moment, as lines of JSON, the same from either engine: with " +
    "`reeve import` it becomes the same store again, on the embedded store or on PostgreSQL. Works beside running servers. Secrets " +
    "stay sealed, and the master keys are not in it.",
  examples: ["reeve export --to reeve.ndjson.zst", "reeve export --to reeve.ndjson --json"],
  options: OPTIONS,
  async run({ flags, options, output }) {
    const { exportStore } = await import("../../serve/backup/backup.ts");
    const made = await withProgress("Exporting", (show) =>
      exportStore(readSettings(flags), readRequest(options), show, Date.now),
    );
    output.result(made, describe(made));
  },
};
