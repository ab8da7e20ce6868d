// The `reeve` command line: the list of commands, and how their errors become exit codes.
import { Command, CommanderError } from "commander";
import { backupCommand, exportCommand } from "./commands/backup.ts";
import { buildCommand } from "./command.ts";
import type { AnyCommand } from "./command.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { gateCommand } from "./commands/gate.ts";
import { firewallTestCommand } from "./commands/firewall.ts";
import { eventsListCommand } from "./commands/events-list.ts";
import { eventsCheckpointCommand, eventsVerifyCommand } from "./commands/events.ts";
import { keysRetireCommand, keysRotateCommand, keysStatusCommand } from "./commands/keys.ts";
import { identityExplainCommand } from "./commands/identity.ts";
import { contextListCommand, contextUseCommand } from "./commands/context.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { importCommand, restoreCommand } from "./commands/restore.ts";
import { secretsExportCommand, secretsImportCommand } from "./commands/secrets.ts";
import { serveCommand } from "./commands/serve.ts";
import { loginCommand, logoutCommand, whoamiCommand } from "./commands/session.ts";
import { tokenCreateCommand, tokenListCommand, tokenRevokeCommand } from "./commands/token.ts";
import { userCreateCommand, userListCommand, userSignInLinkCommand } from "./commands/user.ts";
import { workerCommand } from "./commands/worker.ts";
import { EXIT_CODES, Failure, exitCode } from "./failure.ts";
import { formatTable, printComplaint, printFailure, printHelp } from "./output.ts";
import type { Reeve } from "./reeve.ts";

const COMMANDS: readonly AnyCommand[] = [
  serveCommand,
  workerCommand,
  gateCommand,
  migrateCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  exportCommand,
  importCommand,
  loginCommand,
  logoutCommand,
  whoamiCommand,
  {
    name: "context",
    summary: "list and choose the servers that you are signed in to",
    commands: [contextListCommand, contextUseCommand],
  },
  { name: "identity", summary: "explain tokens of other issuers", commands: [identityExplainCommand] },
  {
    name: "token",
    summary: "create, list and revoke access tokens",
    commands: [tokenCreateCommand, tokenListCommand, tokenRevokeCommand],
  },
  {
    name: "user",
    summary: "create and list accounts, and let people in who are locked out",
    commands: [userCreateCommand, userListCommand, userSignInLinkCommand],
  },
  {
    name: "secrets",
    summary: "move secrets as an encrypted file",
    commands: [secretsExportCommand, secretsImportCommand],
  },
  { name: "firewall", summary: "test firewall configurations", commands: [firewallTestCommand] },
  {
    name: "events",
    summary: "list and verify the recorded events, and sign checkpoints",
    commands: [eventsListCommand, eventsVerifyCommand, eventsCheckpointCommand],
  },
  {
    name: "keys",
    summary: "rotate, inspect and retire master keys",
    commands: [keysRotateCommand, keysStatusCommand, keysRetireCommand],
  },
];

function exitCodeTable(): string {
  return formatTable(
    ["exit code", "meaning"],
    Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
  );
}

function createProgram(reeve: Reeve, end: (code: number) => void): Command {
  const program = new Command("reeve")
    .description("A self-hosted control plane for teams, access, secrets and events.")
    .version(reeve.version)
    // Lets a command have a flag of that name too.
    .enablePositionalOptions()
    .addHelpText("after", () => `\n${exitCodeTable()}\n`);
  program.exitOverride().showHelpAfterError(`(see reeve --help)`);
  program.configureOutput({ writeOut: printHelp, writeErr: printComplaint });
  for (const spec of COMMANDS) program.addCommand(buildCommand(spec, reeve, end));
  return program;
}

/** Runs a command line (without node and script) and resolves to the exit code; never throws. */
export async function runCommandLine(args: readonly string[], reeve: Reeve): Promise<number> {
  let code = 0;
  const program = createProgram(reeve, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    // commander has already printed its help or the usage error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode("usage");
    printFailure(error, args.includes("--json"));
    return exitCode(error instanceof Failure ? error.exit : "failed");
  }
}
