// `reeve env pull` and `reeve env diff`: the values of an environment as a file, and compared with one.
import { Option } from "commander";
import type { CommandRun, CommandSpec } from "../command.ts";
import { ENVIRONMENT_OPTIONS, NAMES_OPTION, allowEmptyOption, inputOf, readPlace } from "../environment-options.ts";
import type { EnvironmentOptions } from "../environment-options.ts";
import { Failure, exitCode } from "../../platform/outcomes/failure.ts";
import { readBytes } from "../bodies/input.ts";
import { explainPlace, requireValues } from "../bodies/remote/place-failure.ts";
import type { EnvironmentPlace } from "../bodies/remote/place-names.ts";
import type { RemoteClient } from "../bodies/remote/open-client.ts";
import { sayReadOtherwise } from "../value-files/dotenv-text.ts";
import { FORMAT_OPTION, formatOf, isMarked, markWritten, parseValues, renderValues } from "../value-files/formats.ts";
import type { Format, Values } from "../value-files/formats.ts";
import { changesNothing, describeDifference, differenceOf, planPush, sayInherited } from "../value-files/push-plan.ts";

interface PullOptions extends EnvironmentOptions {
  readonly names?: string;
  readonly format?: Format;
  readonly output?: string;
  readonly force?: true;
  readonly allowEmpty?: true;
  readonly json?: true;
}

async function callRemote<T>(
  { open }: CommandRun<unknown>,
  place: EnvironmentPlace,
  call: (client: RemoteClient["client"]) => Promise<T>,
): Promise<T> {
  const remote = await open();
  return await call(remote.client).catch(async (error: unknown) => {
    throw await explainPlace(error, remote, place);
  });
}

async function readValues(client: RemoteClient["client"], place: EnvironmentPlace): Promise<Values> {
  const { params, query } = inputOf(place);
  const chosen = place.names === null ? query : { ...query, names: place.names };
  return await client.call("getEnvironmentValues", { params, query: chosen });
}

export const envPullCommand: CommandSpec<PullOptions> = {
  name: "pull",
  summary: "write the values of an environment as a file",
  description:
    "Write the values of an environment to the standard output, or into a file that only you may read. A file that is there is replaced if " +
    "`reeve env pull` wrote it and nobody has changed it since, or with --force. With --json the values are printed as JSON, or of a file that was " +
    "written its name and the names of the values.",
  needs: "server",
  examples: [
    "reeve env pull --team acme --project shop --env development --output .env",
    "reeve env pull --team acme --project shop --env production --format kubernetes | kubectl apply -f -",
    'eval "$(reeve env pull --team acme --project shop --env development --format shell)"',
  ],
  options: [
    ...ENVIRONMENT_OPTIONS,
    NAMES_OPTION,
    allowEmptyOption(),
    FORMAT_OPTION,
    new Option("--output <file>", "the file to write; - is the standard output, as without it"),
    new Option("--force", "replace a file that `reeve env pull` did not write, or that was changed since"),
  ],
  async run(run) {
    const { options, output } = run;
    const place = readPlace(options);
    const file = options.output === "-" ? null : (options.output ?? null);
    const printsJson = file === null && options.json === true;
    const format = formatOf(file, options.format ?? (printsJson ? "json" : undefined));
    if (printsJson && format !== "json") {
      throw new Failure("usage", "--format: expected json with --json, or a file of that form with --output");
    }
    const values = await callRemote(run, place, async (client) => await readValues(client, place));
    requireValues(values, place, options.allowEmpty === true, "writes none");
    const names = Object.keys(values);
    const text = await renderValues(format, values, place);
    if (format === "dotenv") for (const remark of sayReadOtherwise(values)) output.note(remark);
    if (file === null) {
      if (printsJson) output.result(values, "");
      else output.raw(text);
      return;
    }
    const mayReplace = (present: string) => options.force === true || isMarked(present);
    const { writePrivateFile } = await import("../bodies/run/private-file.ts");
    await writePrivateFile(file, markWritten(format, text), mayReplace);
    output.note(`Wrote ${names.length === 1 ? "1 value" : `${names.length} values`} to ${file}.`);
    if (options.json === true) output.result({ file, names }, "");
  },
};

interface DiffOptions extends EnvironmentOptions {
  readonly format?: Format;
  readonly json?: true;
}

export const envDiffCommand: CommandSpec<DiffOptions> = {
  name: "diff",
  summary: "compare a file with the values of an environment, without showing values",
  description:
    "Compare a file with the values of an environment, inherited ones included. Names are shown, never values. It ends with 0 if " +
    "`reeve env push --prune` would change nothing, else with 1. Inherited entries that the file does not have are no difference: they stay.",
  needs: "server",
  examples: ["reeve env diff .env --team acme --project shop --env development"],
  arguments: [{ name: "<file>", help: "the file; - reads the standard input" }],
  options: [...ENVIRONMENT_OPTIONS, FORMAT_OPTION],
  async run(run) {
    const { options, output, args } = run;
    const [file = ""] = args;
    const place = readPlace(options);
    const given = await parseValues(file, await readBytes("<file>", file), formatOf(file, options.format));
    const [{ entries }, values] = await callRemote(run, place, async (client) => [
      await client.call("getEnvironment", inputOf(place)),
      await readValues(client, place),
    ]);
    const plan = planPush(given, entries, values, { secret: [], plain: [], prune: true });
    for (const entry of plan.inherited) output.note(sayInherited(entry));
    const difference = differenceOf(plan, entries);
    const same = changesNothing(plan);
    output.result(difference, same ? "Nothing differs." : describeDifference(difference));
    return same ? 0 : exitCode("failed");
  },
};
