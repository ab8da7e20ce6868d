import { Option } from "commander";
import type { CommandRun, CommandSpec } from "../command.ts";
import { readExpectations } from "../../platform/outcomes/expectations.ts";
import { Failure, exitCode } from "../../platform/outcomes/failure.ts";
import { InvalidInputError } from "../../platform/outcomes/firewall-trial.ts";
import { refuseFile } from "../../platform/outcomes/located-file.ts";
import type { LocatedFile } from "../../platform/outcomes/located-file.ts";
import { describeExpected, describeResult, isAsExpected } from "../../platform/outcomes/decision-text.ts";
import { readSettings } from "../../serve/config/config.ts";
import { instanceSettings } from "../../serve/config/instance-settings.ts";

/** Loads the YAML parser on demand: no other command needs it. */
async function readLocated(file: string): Promise<LocatedFile> {
  return (await import("../yaml-file.ts")).readYaml(file);
}

interface TestOptions {
  readonly configuration?: string;
  readonly team?: string;
  readonly user?: string;
  readonly project?: string;
  readonly version: string;
}

/** The configuration to test, and the file to name in errors about it; null when the configuration is stored. */
async function findConfiguration(
  { callStore, options }: CommandRun<TestOptions>,
  own: unknown,
): Promise<{ readonly configuration: unknown; readonly file: LocatedFile | null }> {
  const { configuration: file, team, user, project, version } = options;
  if (file !== undefined) {
    const yaml = await readLocated(file);
    return { configuration: yaml.value, file: yaml };
  }
  if (own !== undefined) return { configuration: own, file: null };
  if (team === undefined && user === undefined) {
    throw new Failure(
      "usage",
      "expected a configuration: in the file, with --configuration, or that of --team or --user",
    );
  }
  const query = project === undefined ? {} : { projectId: project };
  const call = { operation: "getFirewallConfig", user: user ?? null, team, params: { configVersion: version }, query };
  return { configuration: await callStore(call), file: null };
}

export const firewallTestCommand: CommandSpec<TestOptions> = {
  name: "test",
  needs: "settings",
  summary: "check what a firewall configuration decides against what you expect",
  description:
    "Evaluate the requests of a file against a firewall configuration and compare each decision with the expected one. " +
    "The configuration is in the same file, in another file, or is a stored one of a team or an account; only a stored one " +
    "needs a database. Exits with 1 when a decision is not as expected, and with 2 when a file can't be used.",
  examples: [
    "reeve firewall test firewall.test.yaml --configuration firewall.json",
    "reeve firewall test firewall.test.yaml --team acme --project shop --version draft",
  ],
  arguments: [{ name: "<file>", help: "YAML file of expectations; /docs/testing-firewalls of the server shows one" }],
  options: [
    new Option("--configuration <file>", "file with the configuration, JSON or YAML, as PUT /v1/firewalls takes it")
      .conflicts("team")
      .conflicts("user"),
    new Option("--team <team>", "id or slug of the team whose stored configuration to test").conflicts("user"),
    new Option("--user <username>", "or the user whose own it is: a username, e-mail address or id"),
    new Option("--project <project>", "project of the stored configuration; the project named default without this"),
    new Option("--version <version>", "active, draft or a version's number").default("active"),
  ],
  async run(run) {
    const { flags, args, output } = run;
    const yaml = await readLocated(args[0] as string);
    const { configuration: own, attackMode, bypasses, expectations } = readExpectations(yaml);
    if (own !== undefined && (run.options.configuration ?? run.options.team ?? run.options.user) !== undefined) {
      refuseFile(yaml, [{ field: "configuration", message: "expected none, since a flag names another one" }]);
    }
    const { configuration, file } = await findConfiguration(run, own);
    const requests = expectations.map(({ attributes, repeat }) => ({ attributes, repeat }));
    const instance = instanceSettings(readSettings(flags));
    const { testFirewall } = await import("../bodies/firewall-trial.ts");
    let decisions: ReturnType<typeof testFirewall>;
    try {
      decisions = testFirewall({ configuration, attackMode, bypasses, requests }, instance, Date.now);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      const { errors } = error;
      const isForeign = file !== null && errors.every(({ field }) => field.startsWith("configuration"));
      if (!isForeign) refuseFile(yaml, errors);
      const within = errors.map(({ field, message }) => ({ field: field.replace(/^configuration\.?/, ""), message }));
      refuseFile(file, within);
    }
    const results = expectations.map((expectation, index) => {
      const decision = decisions[index] as (typeof decisions)[number];
      return {
        name: expectation.name,
        line: yaml.lineOf(`expectations[${index}]`),
        isAsExpected: isAsExpected(decision, expectation),
        expected: describeExpected(expectation),
        actual: describeResult(decision, expectation),
        ...decision,
      };
    });
    const failures = results.filter((result) => !result.isAsExpected);
    const passed = results.length - failures.length;
    const lines = failures.map(
      ({ name, line, expected, actual }) => `${yaml.file}:${line}: ${name}: expected ${expected}, got ${actual}`,
    );
    output.result(
      { passed, failed: failures.length, failures: failures.map(({ isAsExpected: _is, ...failure }) => failure) },
      [...lines, `${passed} of ${results.length} as expected`].join("\n"),
    );
    return exitCode(failures.length === 0 ? "ok" : "failed");
  },
};
