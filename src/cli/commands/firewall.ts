import { Option } from "commander";
import type { CommandSpec, Run } from "../command.ts";
import { readExpectations } from "../expectations.ts";
import { Failure, exitCode } from "../failure.ts";
import { FaultyInputError } from "./firewall-trial.ts";
import { refuseFile } from "../located-file.ts";
import type { LocatedFile } from "../located-file.ts";
import { describeExpected, describeVerdict, isAsExpected } from "../decision-text.ts";

/** No other command needs what reads YAML. */
async function readLocated(file: string): Promise<LocatedFile> {
  return (await import("../located-yaml.ts")).readYaml(file);
}

interface TestOptions {
  readonly configuration?: string;
  readonly team?: string;
  readonly user?: string;
  readonly project?: string;
  readonly version: string;
}

/** The configuration to test, and the file that faults of it are told of; null: it is stored, and so has none. */
async function findConfiguration(
  { reeve, flags, options }: Run<TestOptions>,
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
  return { configuration: await reeve.call(flags, call), file: null };
}

export const firewallTestCommand: CommandSpec<TestOptions> = {
  name: "test",
  summary: "check what a firewall configuration does against what is expected of it",
  description:
    "Try the requests of a file on a firewall configuration and compare what becomes of each with what the file expects. " +
    "The configuration stands in the file, in another one, or is a stored one of a team's or account's; only for that a " +
    "database is needed. Exits with 1 when something is not as expected, and with 2 when a file can't be used.",
  examples: [
    "reeve firewall test firewall.test.yaml --configuration firewall.json",
    "reeve firewall test firewall.test.yaml --team acme --project shop --version draft",
  ],
  arguments: [{ name: "<file>", help: "YAML file of expectations; docs/testing-firewalls.md shows one" }],
  options: [
    new Option("--configuration <file>", "file with the configuration, JSON or YAML, as PUT /v1/firewalls takes it")
      .conflicts("team")
      .conflicts("user"),
    new Option("--team <team>", "id or slug of the team whose stored configuration to test").conflicts("user"),
    new Option("--user <username>", "or whose own it is: a username, e-mail address or id"),
    new Option("--project <project>", "project of the stored configuration, default by default"),
    new Option("--version <version>", "active, draft or a version's number").default("active"),
  ],
  async run(run) {
    const { reeve, flags, args, output } = run;
    const yaml = await readLocated(args[0] as string);
    const { configuration: own, attackMode, bypasses, expectations } = readExpectations(yaml);
    if (own !== undefined && (run.options.configuration ?? run.options.team ?? run.options.user) !== undefined) {
      refuseFile(yaml, [{ field: "configuration", message: "expected none, since a flag names another one" }]);
    }
    const { configuration, file } = await findConfiguration(run, own);
    const requests = expectations.map(({ facts, repeat }) => ({ facts, repeat }));
    const verdicts = await reeve
      .tryFirewall(flags, { configuration, attackMode, bypasses, requests })
      .catch((error: unknown) => {
        if (!(error instanceof FaultyInputError)) throw error;
        const { faults } = error;
        const isForeign = file !== null && faults.every(({ field }) => field.startsWith("configuration"));
        if (!isForeign) refuseFile(yaml, faults);
        const within = faults.map(({ field, message }) => ({ field: field.replace(/^configuration\.?/, ""), message }));
        return refuseFile(file, within);
      });
    const results = expectations.map((expectation, index) => {
      const verdict = verdicts[index] as (typeof verdicts)[number];
      return {
        name: expectation.name,
        line: yaml.lineOf(`expectations[${index}]`),
        isAsExpected: isAsExpected(verdict, expectation),
        expected: describeExpected(expectation),
        actual: describeVerdict(verdict, expectation),
        ...verdict,
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
