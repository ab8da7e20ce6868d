import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { confirm } from "../confirm.ts";
import { exitCode } from "../../platform/outcomes/failure.ts";
import { formatTable, formatTime } from "../output.ts";
import { withProgress } from "../progress.ts";
import type { KeyRetirement, KeyStatus } from "../bodies/key-status.ts";
import type { Rotation } from "../bodies/key-rotation.ts";
import { readSettings } from "../../serve/config/config.ts";

function describeRotation({ activeKeyId, previousKeyId, rewrapped, failed, keys }: Rotation): string {
  const lines = [
    previousKeyId === null
      ? `${activeKeyId} was the active master key already.`
      : `${activeKeyId} is the active master key now; it was ${previousKeyId}.`,
    `Rewrapped ${rewrapped} values.`,
    "",
    formatTable(
      ["key", "values"],
      keys.map(({ id, values }) => [id, String(values)]),
    ),
  ];
  if (failed.length > 0) {
    lines.push(
      "",
      "These do not open: what is stored was changed. They still need their key, until they are overwritten or destroyed:",
      ...failed.map(({ kind, id, version, keyId }) => `  ${kind} ${id}, version ${version} (${keyId})`),
    );
  } else if (previousKeyId !== null) {
    lines.push("", `Nothing stored needs ${previousKeyId} any more: \`reeve keys retire ${previousKeyId}\``);
  }
  return lines.join("\n");
}

export const keysRotateCommand: CommandSpec<{ readonly to?: string }> = {
  name: "rotate",
  summary: "change to another master key and bring everything under it",
  description:
    "Change to another master key and bring every data key under it, in small steps, while servers run. May be stopped " +
    "at any point and run again. The next key is the first one of REEVE_MASTER_KEY or REEVE_MASTER_KEY_FILE, and EVERY " +
    "SERVER MUST HAVE IT BEFORE: they read a file again by themselves, and REEVE_MASTER_KEY when they are restarted. " +
    "Where neither is set, a new key is made in the data directory. Exits with 4 when a value could not be opened.",
  examples: ["reeve keys rotate", "reeve keys rotate --to mk_0123456789abcdef --json"],
  options: [new Option("--to <key>", "id of the key to change to, instead of the first one of the keyring")],
  async run({ flags, options, output }) {
    const { rotateKeys } = await import("../bodies/key-rotation.ts");
    const rotation = await withProgress("Rewrapping", (show) =>
      rotateKeys(readSettings(flags), options.to ?? null, show, Date.now),
    );
    output.result(rotation, describeRotation(rotation));
    return exitCode(rotation.failed.length === 0 ? "ok" : "fault");
  },
};

function describeKeys(keys: readonly KeyStatus[]): string {
  if (keys.length === 0) return "There is no master key yet: the first server that starts takes or makes one.";
  return formatTable(
    ["key", "active", "values", "where"],
    keys.map(({ id, active, values, sources }) => [
      id,
      active ? "yes" : "no",
      String(values),
      sources.length === 0 ? "MISSING" : sources.join(", "),
    ]),
  );
}

export const keysStatusCommand: CommandSpec<object> = {
  name: "status",
  summary: "show how many stored values need each master key",
  description:
    "Show each master key that the store needs or this keyring has, how many stored values need it, and where it comes " +
    "from. Exits with 4 when a key that is needed is missing.",
  examples: ["reeve keys status", "reeve keys status --json"],
  async run({ flags, output }) {
    const { listKeys } = await import("../bodies/key-status.ts");
    const keys = await listKeys(readSettings(flags));
    output.result({ keys }, describeKeys(keys));
    return exitCode(keys.every(({ sources }) => sources.length > 0) ? "ok" : "fault");
  },
};

function describeRetirement({ id, removedFrom, keptIn, remainsIn }: KeyRetirement): string {
  return [
    ...(removedFrom === null ? [] : [`Took ${id} out of ${removedFrom}, and kept it in ${keptIn}.`]),
    ...remainsIn.map((source) => `${id} may be removed from ${source} of every server now: keep a copy of it.`),
    `Keep it as long as you keep a backup that needs it${removedFrom === null ? "" : `; to restore one, bring its line back into ${removedFrom}`}.`,
  ].join("\n");
}

function sayWhoNeeds(since: number | null): string {
  const when = since === null ? "before the rotation" : `before ${formatTime(since, "")}`;
  return `Backups made ${when}, or while the rotation ran, cannot be read without it.`;
}

export const keysRetireCommand: CommandSpec<{ readonly yes?: true }> = {
  name: "retire",
  summary: "remove a master key that nothing needs any more",
  description:
    "Take a master key out of the file in the data directory, or say where you may remove it. It is kept aside, in a file beside that one " +
    "which no server reads, because older backups need it. Refuses while the key is active or some stored value needs it.",
  examples: ["reeve keys retire mk_0123456789abcdef", "reeve keys retire mk_0123456789abcdef --yes"],
  arguments: [{ name: "<key>", help: "id of the master key" }],
  options: [new Option("--yes", "do not ask")],
  async run({ flags, args: [id = ""], options, output }) {
    const { retireKey } = await import("../bodies/key-status.ts");
    const retirement = await retireKey(readSettings(flags), id, async ({ since }) => {
      const question = `Retire the master key ${id}? ${sayWhoNeeds(since)}`;
      if (options.yes) output.note(sayWhoNeeds(since));
      await confirm(question, options.yes === true);
    });
    output.result(retirement, describeRetirement(retirement));
  },
};
