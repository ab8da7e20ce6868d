import { Option } from "commander";
import type { CommandRun, CommandSpec } from "../command.ts";
import { describeChains } from "./events.ts";
import { exitCode } from "../../platform/outcomes/failure.ts";
import { showWait, withProgress } from "../progress.ts";
import type { BackupReport } from "../../serve/backup/verify-backup.ts";
import type { BackupKind } from "../../serve/backup/staged-database.ts";
import type { Restored } from "../../serve/backup/restore.ts";
import type { Revived } from "../../serve/backup/revived-credentials.ts";
import { readSettings } from "../../serve/config/config.ts";

interface ReplaceOption {
  readonly replace?: true;
  readonly endCredentials?: true;
}

const REPLACE = new Option("--replace", "replace an existing store; no server may be running on it");
const END_CREDENTIALS = new Option(
  "--end-credentials",
  "end all access tokens, API keys, sessions, links and codes of the backup, suspend its trust rules and disable its webhooks",
);
const FILE = { name: "<file>", help: "the backup, compressed or not" };

function describeMissing(missing: readonly string[]): string[] {
  if (missing.length === 0) return [];
  return [
    `THIS MACHINE LACKS THE MASTER KEY ${missing.join(" AND ")}: no server starts on the store until it is put back ` +
      "(master.key in the data directory, REEVE_MASTER_KEY_FILE or REEVE_MASTER_KEY).",
  ];
}

function describeCredentials(revived: Revived, isEnded: boolean): string[] {
  const kept = "Passwords, passkeys and connections with providers are those of the backup.";
  if (isEnded) {
    return [
      `All access tokens, API keys, sessions, links and codes of the backup are ended, join links have other codes, trust rules are suspended, webhooks are disabled. ${kept}`,
      "People sign in again (`reeve user sign-in-link` for those who can't); programs and gates need new credentials; trust rules wait to be adopted and webhooks to be enabled, each by somebody who has looked at it.",
    ];
  }
  const { tokens, apiKeys, sessions, codes, joinLinks, trustRules, webhooks } = revived;
  return [
    "WHAT WAS REVOKED, USED OR DELETED AFTER THE BACKUP WORKS AGAIN. In force now: " +
      `access tokens: ${tokens}, API keys: ${apiKeys}, sessions: ${sessions}, links, invitations and codes: ${codes}, ` +
      `join links of teams: ${joinLinks}, trust rules: ${trustRules}, webhooks that send data: ${webhooks}. ${kept}`,
    "To end all of these, restore again with --replace --end-credentials.",
  ];
}

function describeVacuum(failure: string | null): string[] {
  if (failure === null) return [];
  return [
    `The restore is complete, but VACUUM failed: ${failure}. Run \`vacuum (analyze)\` on the database as its owner.`,
  ];
}

function describeRestored(restored: Restored, isEnded: boolean): string {
  const { file, rows, data, replaced, missingKeys, revived, vacuumFailure } = restored;
  return [
    `Restored ${rows} rows of ${file} (${data}).`,
    ...(replaced === null ? [] : [`The store that was there before is now ${replaced}`]),
    ...describeVacuum(vacuumFailure),
    ...describeMissing(missingKeys),
    ...describeCredentials(revived, isEnded),
  ].join("\n");
}

/** Values under keys that this machine lacks do not open: a server on the store would not start. */
function isSound({ damage, chains, sealed, missingKeys }: BackupReport): boolean {
  const opens = missingKeys.length === 0 && (sealed?.unreadable ?? 0) === 0;
  return damage === null && chains?.firstFault === null && opens;
}

function describeSealed({ sealed }: BackupReport): string[] {
  if (!sealed) return [];
  const { opened, unreadable, withoutKey } = sealed;
  const problems = [
    ...(unreadable > 0 ? [`${unreadable} do not, although their key is there: they were changed`] : []),
    ...(withoutKey > 0 ? [`${withoutKey} are under keys that this machine lacks`] : []),
  ];
  return [`${[`${opened} sealed values open with the master keys of this machine`, ...problems].join("; ")}.`];
}

function describeReport(report: BackupReport): string {
  const { file, kind, schemaVersion, rows, damage, chains, missingKeys } = report;
  if (damage !== null) return damage;
  return [
    `${file} is a whole ${kind} of schema version ${schemaVersion} with ${rows} rows.`,
    ...(chains ? [describeChains(chains)] : []),
    ...describeSealed(report),
    ...describeMissing(missingKeys),
  ].join("\n");
}

async function restore(
  { flags, options, args, output }: CommandRun<ReplaceOption>,
  kinds: readonly BackupKind[],
): Promise<void> {
  const { replace = false, endCredentials = false } = options;
  const request = { file: args[0] as string, replace, endCredentials, kinds };
  const { restoreStore } = await import("../../serve/backup/restore.ts");
  const restored = await withProgress("Restoring", (show) =>
    restoreStore(readSettings(flags), request, show, Date.now, showWait),
  );
  output.result(restored, describeRestored(restored, endCredentials));
}

interface RestoreOptions extends ReplaceOption {
  readonly verify?: true;
}

export const restoreCommand: CommandSpec<RestoreOptions> = {
  name: "restore",
  summary: "make a backup the store, or verify it",
  description:
    "Make the store out of a file that `reeve backup` or `reeve export` wrote, all of it or nothing: in an empty place, or, with " +
    "--replace, in place of a store on which no server is running. The former embedded store is kept as a file. A backup of an " +
    "older schema is migrated to this one. Access tokens, API keys, sessions, links, codes, trust rules and webhooks that were revoked or " +
    "deleted after the backup work again, unless --end-credentials ends all of them. With --verify nothing is restored: the file, every event chain, the checkpoints " +
    "and the sealed values are checked, in a temporary folder. Exits with 4 when something is wrong, also when this machine lacks a " +
    "master key that the sealed values need.",
  examples: [
    "reeve restore reeve.db.zst",
    "reeve restore reeve.db --replace",
    "reeve restore reeve.db --verify --json",
  ],
  arguments: [FILE],
  options: [
    REPLACE,
    END_CREDENTIALS,
    new Option("--verify", "check the file, and restore nothing").conflicts(["replace", "endCredentials"]),
  ],
  async run(run) {
    if (!run.options.verify) return await restore(run, ["archive", "database"]);
    const { flags, args, output } = run;
    const { verifyBackup } = await import("../../serve/backup/verify-backup.ts");
    const report = await withProgress("Verifying", (show) =>
      verifyBackup(readSettings(flags), args[0] as string, show, Date.now),
    );
    output.result({ sound: isSound(report), ...report }, describeReport(report));
    return exitCode(isSound(report) ? "ok" : "fault");
  },
};

export const importCommand: CommandSpec<ReplaceOption> = {
  name: "import",
  summary: "make the store out of what `reeve export` wrote, on either engine",
  description:
    "Make the store out of a file that `reeve export` wrote, all of it or nothing, on the embedded store or on PostgreSQL: with ids, " +
    "versions, times, event chains and sealed values as they were. Credentials, codes, trust rules and webhooks that were revoked or deleted since work again, unless " +
    "--end-credentials ends all of them. Exporting it again writes the same lines. The place has to " +
    "be empty, unless --replace says otherwise.",
  examples: [
    "reeve import reeve.ndjson.zst --database-url postgres://reeve@db.internal/reeve",
    "reeve import reeve.ndjson --data-dir /var/lib/reeve --replace",
  ],
  arguments: [FILE],
  options: [REPLACE, END_CREDENTIALS],
  run: async (run) => restore(run, ["archive"]),
};
