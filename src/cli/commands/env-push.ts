// `reeve env push`: a file's values into an environment, as one change that is shown before without values.
import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { confirm } from "../confirm.ts";
import { describeChange } from "../environment-change.ts";
import { ENVIRONMENT_OPTIONS, allowEmptyOption, inputOf, readPlace } from "../environment-options.ts";
import type { EnvironmentOptions } from "../environment-options.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { readBytes, shownFile } from "../bodies/input.ts";
import { explainPlace, newProject } from "../bodies/remote/place-failure.ts";
import type { EnvironmentPlace } from "../bodies/remote/place-names.ts";
import type { RemoteClient } from "../bodies/remote/open-client.ts";
import { ReeveError, isUnknownProject } from "../../client/error.ts";
import { FORMAT_OPTION, formatOf, parseValues } from "../value-files/formats.ts";
import type { Format, Values } from "../value-files/formats.ts";
import { changesNothing, patternsWithoutKey, planPush, sayInherited } from "../value-files/push-plan.ts";
import type { PresentEntry } from "../value-files/push-plan.ts";

interface PushOptions extends EnvironmentOptions {
  readonly format?: Format;
  readonly secret?: readonly string[];
  readonly plain?: readonly string[];
  readonly prune?: true;
  readonly allowEmpty?: true;
  readonly note?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly newProject?: true;
}

/** Of a query that fits any server's URLs; beyond it all values are read. */
const MAX_NAMES_LENGTH = 4_000;

const collect = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  ...text.split(",").map((one) => one.trim()),
];

/** The values of entries that a file has too. A credential that may not reveal secrets knows the plain ones. */
async function knownValues(
  { client }: RemoteClient,
  place: EnvironmentPlace,
  entries: readonly PresentEntry[],
): Promise<Values> {
  const plain = entries.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const]));
  const secrets = entries.flatMap(({ key, kind }) => (kind === "secret" ? [key] : []));
  if (secrets.length === 0) return Object.fromEntries(plain);
  const { params, query } = inputOf(place);
  const names = secrets.join(",");
  const chosen = names.length <= MAX_NAMES_LENGTH ? { ...query, names } : query;
  try {
    const read = await client.call("getEnvironmentValues", { params, query: chosen });
    return { ...Object.fromEntries(plain), ...read };
  } catch (error) {
    // Not allowed, or one of them cannot be read: a push may be what mends that.
    if (error instanceof ReeveError && (error.status === 403 || error.code === "environment_incomplete")) {
      return Object.fromEntries(plain);
    }
    throw error;
  }
}

/** A push begins a project that is not there. */
function nullIfNoProject(error: unknown): null {
  if (isUnknownProject(error)) return null;
  throw error;
}

/** A file may have more than one request takes, and somebody else may change the environment too. */
async function explainPush(
  error: unknown,
  file: string,
  place: EnvironmentPlace,
  remote: RemoteClient,
): Promise<unknown> {
  if (!(error instanceof ReeveError)) return error;
  if (error.code === "version_conflict") {
    const message = `${place.environment} of ${place.project} was changed meanwhile, and nothing was pushed: push again`;
    return new Failure("conflict", message, error.code);
  }
  const isTooLarge = error.code === "body_too_large" || error.expected.endsWith(" in one change");
  if (!isTooLarge) return await explainPlace(error, remote, place);
  const advice = "push parts of the file one after the other, without --prune";
  return new Failure(
    "refused",
    `${shownFile(file)}: what differs is too large for one change (${error.message}): ${advice}`,
    error.code,
  );
}

export const envPushCommand: CommandSpec<PushOptions> = {
  name: "push",
  summary: "store the values of a file in an environment, as one change",
  description:
    "Store what differs in a file as one change of an environment, all or none. The differences are shown before, without values, and a terminal " +
    "is asked. New values are stored as secrets, and entries that are there keep their kind, unless --plain or --secret decide.",
  needs: "server",
  changes: true,
  examples: [
    "reeve env push .env --team acme --project shop --env development --dry-run",
    "reeve env push .env --team acme --project shop --env development --plain 'LOG_*,PORT' --yes",
    "reeve env push .env --team acme --project shop --env development --prune",
  ],
  arguments: [{ name: "<file>", help: "the file; - reads the standard input" }],
  options: [
    ...ENVIRONMENT_OPTIONS,
    FORMAT_OPTION,
    new Option("--secret <patterns>", "keys to store as secrets, exact or with *; before --plain").argParser(collect),
    new Option("--plain <patterns>", "keys to store as plain values, exact or with *").argParser(collect),
    new Option("--prune", "remove entries that the file does not have"),
    allowEmptyOption("file"),
    new Option("--note <text>", "why; it is kept with the version"),
    new Option("--dry-run", "show the differences, and change nothing"),
    new Option("--yes", "do not ask"),
    new Option("--new-project", "begin the project without asking, though another one has a name like it"),
  ],
  async run({ open, options, args: [file = ""], output }) {
    const { secret = [], plain = [], prune = false, note } = options;
    const place = readPlace(options);
    const { project, environment } = place;
    const given = await parseValues(file, await readBytes("<file>", file), formatOf(file, options.format));
    if (given.size === 0 && options.allowEmpty !== true) {
      throw new Failure("refused", `${shownFile(file)} has no values: --allow-empty goes on without any`, "no_values");
    }
    for (const [flag, patterns] of Object.entries({ secret, plain })) {
      for (const one of patternsWithoutKey(patterns, given.keys()))
        output.note(`--${flag}: no key of ${shownFile(file)} fits "${one}"`);
    }
    const remote = await open();
    const { client } = remote;
    const { params, query } = inputOf(place);
    try {
      const found = await client.call("getEnvironment", { params, query }).catch(nullIfNoProject);
      const begun = found === null ? await newProject(remote, place) : null;
      const present = found ?? { version: 0, entries: [] };
      if (begun !== null) output.note(begun.said);
      if (begun !== null && begun.hint !== "" && options.yes && !options.newProject && !options.dryRun) {
        throw new Failure("refused", `nothing was pushed: --new-project begins ${project}${begun.hint}`, "new_project");
      }
      const shared = present.entries.filter(({ key }) => given.has(key));
      const known = await knownValues(remote, place, shared);
      const plan = planPush(given, present.entries, known, { secret, plain, prune });
      for (const entry of plan.inherited) output.note(sayInherited(entry));
      if (changesNothing(plan)) {
        output.result([], "Nothing differs.");
        return;
      }
      const body = {
        environments: { [environment]: { set: plan.set, remove: [...plan.remove] } },
        expectedVersions: { [environment]: present.version },
        ...(note === undefined ? {} : { note }),
      };
      const change = async (dryRun: boolean) => {
        const input = { params: { project }, query: { ...query, ...(dryRun ? { dryRun } : {}) }, body };
        return (await client.call("changeEnvironments", input)).environments;
      };
      const [shown] = await change(true);
      const text = shown === undefined ? "" : describeChange(shown);
      if (options.dryRun) {
        output.result(shown, text);
        return;
      }
      if (!options.yes) output.note(text);
      await confirm(`Change ${environment} of ${project}?`, options.yes === true);
      const [made] = await change(false);
      // The end of a new secret's name is drawn again.
      const done = made === undefined ? "" : describeChange(made);
      if (options.yes || done !== text) output.note(done);
      output.result(made, `${environment} of ${project} is at version ${made?.version} now.`);
    } catch (error) {
      throw await explainPush(error, file, place, remote);
    }
  },
};
