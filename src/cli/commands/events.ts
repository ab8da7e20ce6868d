import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { describeBreak } from "../../platform/outcomes/chain-report.ts";
import { exitCode } from "../../platform/outcomes/failure.ts";
import { ownerOptions, readOwner } from "../owner-options.ts";
import type { OwnerOptions } from "../owner-options.ts";
import { withProgress } from "../progress.ts";
import type { ChainReport, TrustedKey } from "../../platform/outcomes/chain-report.ts";
import type { ExportReport } from "../bodies/verify-export.ts";
import { readSettings } from "../../serve/config/config.ts";

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;

const TRUST_TEXT: Readonly<Record<TrustedKey["trust"], string>> = {
  given: "the key that was given",
  proven: "the store's own key, whose private half opens with the master key",
  claimed:
    "the key that is named beside the checkpoints: a person who put them there can name any, so compare it with the one that you know",
};

function describeKeys(keys: readonly TrustedKey[]): string[] {
  return keys.map(({ id, publicKey, trust }) => `Signed by ${id} (${publicKey}), ${TRUST_TEXT[trust]}.`);
}

function describeFault({ firstFault }: Pick<ChainReport, "firstFault">): string | null {
  return firstFault
    ? `The chain is broken at ${describeBreak(firstFault)}.\nWhat comes after it was not verified.`
    : null;
}

export function describeChains(report: ChainReport): string {
  const { owners, events, checkpoints, kept, keys } = report;
  const compared = [
    ...(checkpoints > 0 ? [`${count(checkpoints, "checkpoint")} of the store`] : []),
    ...(kept > 0 ? [`${count(kept, "checkpoint")} of the file`] : []),
  ];
  return (
    describeFault(report) ??
    [
      `Verified ${count(events, "event")} of ${count(owners, "owner")}: every chain is whole.`,
      ...(compared.length === 0 ? [] : [`The same by ${compared.join(" and ")}.`, ...describeKeys(keys)]),
    ].join("\n")
  );
}

function describeBeginning({ first, beginning }: ExportReport): string {
  if (beginning === "first event") return "It begins with the first event of all.";
  if (beginning === "checkpoint") return `A checkpoint of event ${first - 1} shows that it begins there.`;
  return (
    `It begins with event ${first}, whose own content is not proven: its hash covers that of event ${first - 1}, and there ` +
    `is neither that line nor a checkpoint of it.`
  );
}

function describeEnd({ last, provenTo, newestBehind }: ExportReport): string {
  const behind =
    newestBehind === null ? "" : ` There is a checkpoint of event ${newestBehind}: the file ends before it.`;
  if (provenTo === null) return `No checkpoint shows that it was not written anew as a whole.${behind}`;
  const rest = provenTo === last ? "" : `, and none what comes after that`;
  return `A checkpoint shows that all is as it was up to event ${provenTo}${rest}.${behind}`;
}

function describeExport(report: ExportReport): string {
  const { ownerId, first, last, events, keys } = report;
  return (
    describeFault(report) ??
    [
      `Verified ${count(events, "event")} of ${ownerId}, ${first} to ${last}: the chain is whole.`,
      describeBeginning(report),
      describeEnd(report),
      ...describeKeys(keys),
    ].join("\n")
  );
}

interface CheckpointOptions extends OwnerOptions {
  readonly to?: string;
  readonly force?: true;
  readonly newKey?: true;
}

export const eventsCheckpointCommand: CommandSpec<CheckpointOptions> = {
  name: "checkpoint",
  summary: "sign the newest event of every chain, and write the checkpoints to a file",
  description:
    "Make a checkpoint of the newest event of every chain that has none, or of one chain, and write the newest checkpoint of " +
    "each to a file. Kept elsewhere, that file proves later that nothing before was rewritten: `reeve events verify --checkpoints`. " +
    "Works beside a running server.",
  examples: [
    "reeve events checkpoint --to checkpoints.ndjson --force",
    "reeve events checkpoint --team acme --to acme.ndjson --json",
  ],
  options: [
    ...ownerOptions("events they are, instead of all"),
    new Option("--to <file>", "file to write, one checkpoint to a line"),
    new Option("--force", "replace the file if it exists"),
    new Option("--new-key", "sign with a new key from now on; what the present one signed stays valid"),
  ],
  async run({ flags, options, output }) {
    const { to: file = null, force = false, newKey = false } = options;
    const request = { owner: readOwner(options), file, force, newKey };
    const { checkpointEvents } = await import("../bodies/checkpoint-events.ts");
    const result = await withProgress("Signing", (show) =>
      checkpointEvents(readSettings(flags), request, show, Date.now),
    );
    const { made, written, key } = result;
    const lines = [
      `Made ${count(made, "checkpoint")}, signed by ${key.id} (${key.publicKey}).`,
      ...(file === null ? [] : [`Wrote ${count(written, "checkpoint")} to ${file}.`]),
    ];
    output.result({ ...result, ...(file === null ? {} : { file }) }, lines.join("\n"));
  },
};

interface VerifyOptions {
  readonly export?: string;
  readonly checkpoints?: string;
  readonly publicKey?: readonly string[];
}

export const eventsVerifyCommand: CommandSpec<VerifyOptions> = {
  name: "verify",
  summary: "prove that no recorded event was tampered with",
  description:
    "Recompute the chain of every owner's events and name the first one that was changed, removed, inserted or " +
    "reordered, and hold the checkpoints against it. Reads only; works beside a running server, and on a backup: put the " +
    "copy as reeve.db into a folder and name that with --data-dir. With --export it verifies the one chain of a file, " +
    "without any database. /docs/proof of the server says what is proven. Exits with 4 when a chain is broken.",
  examples: [
    "reeve events verify",
    "reeve events verify --data-dir /srv/restored --checkpoints checkpoints.ndjson --public-key reeve.pem",
    "reeve events verify --export acme.ndjson --checkpoints checkpoints.ndjson --json",
  ],
  options: [
    new Option("--export <file>", "verify lines of `reeve events export --chain` instead; - reads the standard input"),
    new Option(
      "--checkpoints <file>",
      "checkpoints that were kept elsewhere, as the API returns them or one to a line",
    ),
    new Option(
      "--public-key <key>",
      "trust checkpoints of this key alone: a PEM file, or base64; may be given again",
    ).argParser((key: string, before: readonly string[] | undefined) => [...(before ?? []), key]),
  ],
  async run({ flags, options, output }) {
    const { export: file, checkpoints = null, publicKey: publicKeys = [] } = options;
    const request = { publicKeys, checkpoints };
    const report = await withProgress<ChainReport | ExportReport>("Verifying", async (show) =>
      file === undefined
        ? await (await import("../bodies/verify-events.ts")).verifyEvents(readSettings(flags), request, show)
        : await (await import("../bodies/verify-export.ts")).verifyExportedEvents(file, request, show),
    );
    const isIntact = report.firstFault === null;
    const text = "ownerId" in report ? describeExport(report) : describeChains(report);
    output.result({ intact: isIntact, ...report }, text);
    return exitCode(isIntact ? "ok" : "fault");
  },
};
