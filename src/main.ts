// Binds the command line to the rest of Reeve. Each command imports its modules when it runs, because most of the time of a start is
// loading modules.
import { runCommandLine } from "./cli/program.ts";
import type { Reeve } from "./cli/reeve.ts";
import type { Remote } from "./cli/remote.ts";
import {
  environmentForPrograms,
  readGate,
  readGiven,
  readLocalGate,
  readOwnCommand,
  readRemote,
  readSettings,
} from "./config/config.ts";
import { GATE_PROCESS_SETTINGS, gateUrl } from "./config/gate-settings.ts";
import type { Setting } from "./config/setting-source.ts";
import { SETTINGS } from "./config/settings.ts";
import { explained } from "./server/explain-failure.ts";
import { instanceSettings } from "./config/instance-settings.ts";
import { fileReason } from "./kernel/text/file-reason.ts";
import { VERSION } from "./version.ts";

/** Commands that reach a server elsewhere. */
const remote: Remote = {
  open: explained(async (flags, team) => {
    const settings = readRemote(flags);
    return await (await import("./commands/remote/open-client.ts")).openClient(settings, flags, team);
  }),
  findPlace: explained(async (readsLink) => {
    return await (
      await import("./commands/remote/place.ts")
    ).findPlace(readRemote({}), readsLink ? process.cwd() : null);
  }),
  link: explained(async (names) => {
    return await (await import("./commands/remote/place.ts")).writeLink(process.cwd(), names);
  }),
  signIn: explained(async (flags, announce) => {
    const settings = readRemote(flags);
    return await (await import("./commands/remote/sign-in.ts")).signIn(settings, flags, announce);
  }),
  signOut: explained(async (flags, isForgotten) => {
    const settings = readRemote(flags);
    return await (await import("./commands/remote/sign-out.ts")).signOut(settings, flags, isForgotten);
  }),
  identify: explained(async (flags) => {
    const settings = readRemote(flags);
    return await (await import("./commands/remote/identity.ts")).identify(settings, flags);
  }),
  findDecision: explained(async (flags, question) => {
    const settings = readRemote(flags);
    return await (await import("./commands/remote/gate-decision.ts")).findDecision(settings, flags, question);
  }),
  runProgram: explained(async (flags, run, note) => {
    const settings = readRemote(flags);
    const own = environmentForPrograms();
    return await (await import("./commands/run/run-program.ts")).runProgram(settings, flags, run, { own, note });
  }),
  writePrivateFile: explained(async (file, text, mayReplace) => {
    return await (await import("./commands/run/private-file.ts")).writePrivateFile(file, text, mayReplace);
  }),
  listContexts: explained(async () => {
    return await (await import("./commands/remote/context-commands.ts")).listContexts(readRemote({}));
  }),
  useContext: explained(async (name) => {
    return await (await import("./commands/remote/context-commands.ts")).useContext(readRemote({}), name);
  }),
};

function optionsOf(settings: Readonly<Record<string, Setting<unknown>>>) {
  return Object.entries(settings).flatMap(([name, { flag, env, help, fallback }]) =>
    flag === null ? [] : [{ name, flag, env, help, fallback }],
  );
}

const reeve: Reeve = {
  version: VERSION,
  ownCommand: readOwnCommand(),
  given: readGiven(),
  remote,
  settings: optionsOf(SETTINGS),
  gateSettings: optionsOf(GATE_PROCESS_SETTINGS),
  serve: explained(async (flags, announce, { withGate }) => {
    const settings = readSettings(flags);
    const gateSettings = withGate ? readLocalGate() : null;
    const isEmbedded = settings.databaseUrl === null;
    const writerThread = isEmbedded ? (await import("./server/writer-launch.ts")).launchWriter() : undefined;
    return await (await import("./server/serve.ts")).serve(settings, writerThread, announce, gateSettings);
  }),
  work: explained(async (flags, announce) => {
    const settings = readSettings(flags);
    return await (await import("./server/serve.ts")).work(settings, announce);
  }),
  protect: explained(async (flags, announce) => {
    const settings = readGate(flags);
    return await (await import("./commands/gate.ts")).protect(settings, () => readGate(flags), announce);
  }),
  updateGeo: explained(async (flags, mirror) => {
    const settings = readGate(flags);
    return await (await import("./commands/geo-update.ts")).updateGeoDatabases(settings, mirror);
  }),
  renderSeclang: explained(async (flags, request, announce) => {
    const settings = readGate(flags);
    return await (await import("./commands/gate-seclang.ts")).renderSeclang(settings, request, announce);
  }),
  migrate: explained(async (flags, notices) => {
    const settings = readSettings(flags);
    return await (await import("./server/prepare-store.ts")).migrateStore(settings, notices, Date.now);
  }),
  call: explained(async (flags, call) => {
    const settings = readSettings(flags);
    return await (await import("./commands/run-operation.ts")).callOperation(settings, call, Date.now);
  }),
  makeSignInLink: explained(async (flags, name) => {
    const settings = readSettings(flags);
    return await (await import("./commands/sign-in-link.ts")).makeSignInLink(settings, name, Date.now);
  }),
  verifyEvents: explained(async (flags, request, onProgress) => {
    const settings = readSettings(flags);
    return await (await import("./commands/verify-events.ts")).verifyEvents(settings, request, onProgress);
  }),
  verifyExport: explained(async (file, request, onProgress) => {
    return await (await import("./commands/verify-export.ts")).verifyExportedEvents(file, request, onProgress);
  }),
  checkpointEvents: explained(async (flags, request, onProgress) => {
    const settings = readSettings(flags);
    return await (
      await import("./commands/checkpoint-events.ts")
    ).checkpointEvents(settings, request, onProgress, Date.now);
  }),
  backUp: explained(async (flags, request, onProgress) => {
    const settings = readSettings(flags);
    return await (await import("./backup/backup.ts")).backUpStore(settings, request, onProgress, Date.now);
  }),
  exportStore: explained(async (flags, request, onProgress) => {
    const settings = readSettings(flags);
    return await (await import("./backup/backup.ts")).exportStore(settings, request, onProgress, Date.now);
  }),
  restore: explained(async (flags, request, onProgress) => {
    const settings = readSettings(flags);
    return await (await import("./backup/restore.ts")).restoreStore(settings, request, onProgress, Date.now);
  }),
  verifyBackup: explained(async (flags, file, onProgress) => {
    const settings = readSettings(flags);
    return await (await import("./backup/verify-backup.ts")).verifyBackup(settings, file, onProgress, Date.now);
  }),
  rotateKeys: explained(async (flags, to, onProgress) => {
    const settings = readSettings(flags);
    return await (await import("./commands/key-rotation.ts")).rotateKeys(settings, to, onProgress, Date.now);
  }),
  listKeys: explained(async (flags) => {
    const settings = readSettings(flags);
    return await (await import("./commands/key-status.ts")).listKeys(settings);
  }),
  retireKey: explained(async (flags, id, approve) => {
    const settings = readSettings(flags);
    return await (await import("./commands/key-status.ts")).retireKey(settings, id, approve);
  }),
  testFirewall: explained(async (flags, trial) => {
    const instance = instanceSettings(readSettings(flags));
    return (await import("./commands/firewall-trial.ts")).testFirewall(trial, instance, Date.now);
  }),
  examine: explained(async (flags) => {
    const settings = readSettings(flags);
    return await (await import("./commands/doctor.ts")).examine(settings);
  }),
  examineGate: explained(async (url) => {
    const at = url ?? gateUrl(readGate());
    return await (await import("./commands/doctor-gate.ts")).examineGate(at);
  }),
  exportSecrets: explained(async (flags, request, onProgress) => {
    const settings = readSettings(flags);
    return await (
      await import("./backup/secret-archive-export.ts")
    ).exportSecrets(settings, request, onProgress, Date.now);
  }),
  importSecrets: explained(async (flags, request, onProgress) => {
    const settings = readSettings(flags);
    return await (
      await import("./backup/secret-archive-import.ts")
    ).importSecrets(settings, request, onProgress, Date.now);
  }),
};

// Without a listener Node.js opens its debugger on this signal, to everybody on this machine: what it shows has keys and values.
process.on("SIGUSR1", () => undefined);
// `reeve user list | head` closes the pipe early; that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(`reeve: standard output: ${fileReason(error)}\n`);
  process.exit(1);
});
process.exitCode = await runCommandLine(process.argv.slice(2), reeve);
