// Makes the commands of a resource from its table.
import type { Option } from "commander";
import { isLocal } from "../command.ts";
import type { AnyCommand, CommandGroup, CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { operationCommand } from "./operation-command.ts";
import type { Resource, Row } from "./row.ts";

type AnySpec = CommandSpec<Readonly<Record<string, unknown>>>;

/** A copy of the option that a line may leave out; the option itself stays as it is for the next time that the command is built. */
function asOptional(option: Option): Option {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(option) as object) as Option, option);
  return copy.makeOptionMandatory(false);
}

/** One command for both worlds. What the local one cannot do without is asked for when it runs. */
function either(remote: AnySpec, local: AnySpec): AnySpec {
  const needed: Option[] = (local.options ?? []).filter(({ mandatory }) => mandatory);
  const localOptions = (local.options ?? []).map(asOptional);
  const taken = new Set(localOptions.map(({ long }) => long));
  return {
    ...remote,
    needs: "either",
    options: [...localOptions, ...(remote.options ?? []).filter(({ long }) => !taken.has(long))],
    async run(run) {
      if (!isLocal(run.options, run.flags)) return await remote.run(run);
      const missing = needed.find((option) => run.options[option.attributeName()] === undefined);
      if (missing) throw new Failure("usage", `${missing.long ?? ""}: expected a value, with --local`);
      return await local.run(run);
    },
  };
}

async function loadRow(verb: string, row: Row): Promise<AnyCommand> {
  if ("load" in row) return await row.load();
  const remote = operationCommand(verb, row);
  return row.local === undefined ? remote : either(remote, (await row.local()) as AnySpec);
}

/** The commands of a resource; `rules add` is below the group `rules`. */
export async function loadResource({ name, summary, commands }: Resource): Promise<CommandGroup> {
  const below: AnyCommand[] = [];
  const groups = new Map<string, AnyCommand[]>();
  for (const [words, row] of Object.entries(commands)) {
    const [first = "", verb] = words.split(" ");
    const command = await loadRow(verb ?? first, row);
    const group = groups.get(first);
    if (verb === undefined) below.push(command);
    else if (group) group.push(command);
    else {
      const inGroup = [command];
      groups.set(first, inGroup);
      below.push({ name: first, summary: `${first.replaceAll("-", " ")} of the ${name}`, commands: inGroup });
    }
  }
  return { name, summary, commands: below };
}
