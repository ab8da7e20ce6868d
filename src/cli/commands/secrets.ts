import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { ownerOptions, readOwner } from "../owner-options.ts";
import type { OwnerOptions } from "../owner-options.ts";
import { askPassphrase, readIdentities, readPassphrase } from "../passphrase.ts";
import { withProgress } from "../progress.ts";
import type { OwnerReference } from "../../serve/command-owner.ts";
import type { SecretsExport, SecretsImport, SecretsImported } from "../../serve/backup/secret-archive.ts";
import { readSettings } from "../../serve/config/config.ts";

function requireOwner(options: OwnerOptions): OwnerReference {
  const owner = readOwner(options);
  if (!owner) throw new Failure("usage", "--team or --user: expected one of them, to say whose secrets");
  return owner;
}

const count = (secrets: number) => `${secrets} ${secrets === 1 ? "secret" : "secrets"}`;

interface ExportOptions extends OwnerOptions {
  readonly to: string;
  readonly force?: true;
  readonly passphraseFile?: string;
  readonly recipient?: readonly string[];
}

async function readLock({ passphraseFile, recipient }: ExportOptions): Promise<SecretsExport["lock"]> {
  if (recipient !== undefined) return { recipients: recipient };
  if (passphraseFile !== undefined) return { passphrase: await readPassphrase(passphraseFile) };
  return {
    passphrase: await askPassphrase(true, "--passphrase-file or --recipient: expected one of them, or a terminal"),
  };
}

export const secretsExportCommand: CommandSpec<ExportOptions> = {
  name: "export",
  summary: "write the secrets of a team or account into an encrypted file",
  description:
    "Write the secrets of a team or account, with their versions, names and settings, into a file that `reeve secrets import` " +
    "reads. It holds all values, also those that the API never shows. Deleted secrets are not in it. The file is encrypted " +
    "with age, for a passphrase or for recipients, and needs no master key to be opened. Works beside a running server, and " +
    "is recorded among the events.",
  examples: [
    "reeve secrets export --team acme --to acme.age",
    "reeve secrets export --team acme --to acme.age --passphrase-file acme.passphrase",
    "reeve secrets export --user ada --to ada.age --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
  ],
  options: [
    ...ownerOptions("secrets they are"),
    new Option("--to <file>", "file to write").makeOptionMandatory(),
    new Option("--force", "replace the file if it exists"),
    new Option(
      "--passphrase-file <file>",
      "file whose first line is the passphrase; - reads the standard input",
    ).conflicts("recipient"),
    new Option(
      "--recipient <age1...>",
      "who can open the file, by the public key of age; may be given again",
    ).argParser((recipient: string, before: readonly string[] | undefined) => [...(before ?? []), recipient]),
  ],
  async run({ flags, options, output }) {
    const owner = requireOwner(options);
    const lock = await readLock(options);
    const { to: file, force = false } = options;
    const { exportSecrets } = await import("../../serve/backup/secret-archive-export.ts");
    const result = await withProgress("Exporting", (show) =>
      exportSecrets(readSettings(flags), { owner, file, force, lock }, show, Date.now),
    );
    output.result({ ...result, file }, `Exported ${count(result.exported)} to ${file}`);
  },
};

interface ImportOptions extends OwnerOptions {
  readonly from: string;
  readonly passphraseFile?: string;
  readonly identityFile?: string;
  readonly onConflict: SecretsImport["onConflict"];
}

async function readKey({ passphraseFile, identityFile }: ImportOptions): Promise<SecretsImport["key"]> {
  if (identityFile !== undefined) return { identities: await readIdentities(identityFile) };
  if (passphraseFile !== undefined) return { passphrase: await readPassphrase(passphraseFile) };
  return {
    passphrase: await askPassphrase(false, "--passphrase-file or --identity-file: expected one of them, or a terminal"),
  };
}

function describeImport({ imported, skipped }: SecretsImported): string {
  const done = `Imported ${count(imported)}.`;
  if (skipped.length === 0) return done;
  return `${done} Left out ${count(skipped.length)} with names that are taken:\n${skipped.join("\n")}`;
}

export const secretsImportCommand: CommandSpec<ImportOptions> = {
  name: "import",
  summary: "read the secrets of an encrypted file into a team or account",
  description:
    "Read the secrets of a file that `reeve secrets export` wrote into a team or account, here or on another instance: with their " +
    "versions, names and settings, in their order, and with their ids where no other secret has them. The whole file is " +
    "checked before the first one is written. An import that was interrupted goes on with --on-conflict skip. Each secret " +
    "is recorded among the events.",
  examples: [
    "reeve secrets import --team acme --from acme.age",
    "reeve secrets import --team acme --from acme.age --passphrase-file acme.passphrase --on-conflict skip",
    "reeve secrets import --user ada --from ada.age --identity-file key.txt --json",
  ],
  options: [
    ...ownerOptions("secrets they are"),
    new Option("--from <file>", "file to read").makeOptionMandatory(),
    new Option(
      "--passphrase-file <file>",
      "file whose first line is the passphrase; - reads the standard input",
    ).conflicts("identityFile"),
    new Option("--identity-file <file>", "file of age identities, as age-keygen writes it; - reads the standard input"),
    new Option("--on-conflict <what>", "when names of a secret are taken: refuse everything, or leave that secret out")
      .choices(["fail", "skip"])
      .default("fail"),
  ],
  async run({ flags, options, output }) {
    const owner = requireOwner(options);
    const { from: file, onConflict } = options;
    const request = { owner, file, key: await readKey(options), onConflict };
    const { importSecrets } = await import("../../serve/backup/secret-archive-import.ts");
    const result = await withProgress("Importing", (show) =>
      importSecrets(readSettings(flags), request, show, Date.now),
    );
    output.result(result, describeImport(result));
  },
};
