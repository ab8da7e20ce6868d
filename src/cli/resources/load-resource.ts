// Makes the commands of a resource from its table.
import { isLocal } from "../command.ts";
import type { AnyCommand, CommandGroup, CommandSpec } from "../command.ts";
import { operationCommand } from "./operation-command.ts";
import type { Resource, Row } from "./row.ts";

type AnySpec = CommandSpec<Readonly<Record<string, unknown>>>;

/** One command for both worlds. */
function either(remote: AnySpec, local: AnySpec): AnySpec {
  const { options = [] } = local;
  const taken = new Set(options.map(({ long }) => long));
  return {
    ...remote,
    needs: "either",
    options: [...options, ...(remote.options ?? []).filter(({ long }) => !taken.has(long))],
    run: async (run) => await (isLocal(run.options, run.flags) ? local : remote).run(run),
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
