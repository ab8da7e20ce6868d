// `reeve run`: a program with the values of an environment.
import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { ENVIRONMENT_OPTIONS, NAMES_OPTION, allowEmptyOption, readPlace } from "../environment-options.ts";
import type { EnvironmentOptions } from "../environment-options.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { readSpan, readWait } from "../times.ts";
import { environmentForPrograms, readRemote } from "../../serve/config/config.ts";

interface RunOptions extends EnvironmentOptions {
  readonly names?: string;
  readonly keep?: true;
  readonly allowEmpty?: true;
  readonly watch?: true;
  readonly watchInterval: string;
  readonly stopTimeout: string;
  readonly offlineMaxAge?: string;
}

export const runCommand: CommandSpec<RunOptions> = {
  name: "run",
  summary: "run a program with the values of an environment",
  description:
    "Run a program with the values of an environment as variables, beside those that are set already. Signals are passed on, and reeve ends " +
    "as the program ends. It prints remarks only, on the standard error. The program does not get REEVE_TOKEN or other credentials of Reeve.",
  needs: "server",
  examples: [
    "reeve run --team acme --project shop --env production -- npm start",
    "reeve run --team acme --project shop --env development --watch -- node server.js",
    "reeve run --team acme --project shop --env production --offline-max-age 24h -- ./server",
  ],
  arguments: [{ name: "[command...]", help: "the program and its arguments, after --" }],
  hint: "the program and its arguments follow --",
  followDashes: true,
  options: [
    ...ENVIRONMENT_OPTIONS,
    NAMES_OPTION,
    new Option("--keep", "variables that are set already win over those of the environment"),
    allowEmptyOption(),
    new Option("--watch", "stop the program and start it again when values have changed"),
    new Option("--watch-interval <span>", "how often to look for changes").default("10s"),
    new Option("--stop-timeout <span>", "how long the program may take to stop before it is killed").default("10s"),
    new Option(
      "--offline-max-age <span>",
      "store the values encrypted, and start with them for this long when the server can't be reached",
    ),
  ],
  async run({ remoteFlags, options, args, output }) {
    if (!args[0]) {
      throw new Failure("usage", "<command>: expected a program after --, such as `reeve run -- npm start`");
    }
    const { keep, allowEmpty, watch, watchInterval, stopTimeout, offlineMaxAge } = options;
    const intervalMs = readWait(watchInterval, "--watch-interval");
    const asked = {
      place: readPlace(options),
      command: args,
      keepsOwn: keep === true,
      allowsEmpty: allowEmpty === true,
      watchIntervalMs: watch ? intervalMs : null,
      stopTimeoutMs: readWait(stopTimeout, "--stop-timeout"),
      offlineMaxAgeMs: offlineMaxAge === undefined ? null : readSpan(offlineMaxAge, "--offline-max-age"),
    };
    const settings = readRemote(remoteFlags);
    const dependencies = { own: environmentForPrograms(), note: output.note };
    const { runProgram } = await import("../bodies/run/run-program.ts");
    return await runProgram(settings, remoteFlags, asked, dependencies);
  },
};
