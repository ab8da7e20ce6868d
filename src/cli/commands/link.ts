// `reeve link`: what commands of a folder are about, in a file that they find there.
import { teamQuery } from "../../client/client.ts";
import type { CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { formatTable } from "../output.ts";
import { explainPlace } from "../bodies/remote/place-failure.ts";
import { PLACE_NAMES, givenBy } from "../bodies/remote/place-names.ts";
import { PlaceOption } from "../place-options.ts";
import type { PlaceName } from "../bodies/remote/place-names.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

type LinkOptions = Readonly<Partial<Record<PlaceName, string>>>;

/** Only the flags of the line: what the folder has already is no reason to write it. */
const isTyped = (name: PlaceName): boolean => givenBy(name).startsWith("-");

export const linkCommand: CommandSpec<LinkOptions> = {
  name: "link",
  summary: "say what commands in this folder are about: a team, a project, an environment",
  description:
    "Write .reeve.json into this folder. Commands in it, and in folders below it, take its names where they have no flag and no variable " +
    "(REEVE_TEAM, REEVE_PROJECT, REEVE_ENV). The file can be committed: it has no server and no credential, and neither is taken from it. " +
    "Without a flag, the names that count here are printed, with what gives each.",
  needs: "server",
  takesNoPlace: (options) => PLACE_NAMES.some((name) => options[name] !== undefined),
  examples: ["reeve link --team acme --project shop", "reeve link -t acme -p shop -e development", "reeve link"],
  options: [
    new PlaceOption("team", "id or slug of the team"),
    new PlaceOption("project", "name of the project"),
    new PlaceOption("env", "name of the environment"),
  ],
  async run({ open, options, output }) {
    const named = PLACE_NAMES.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]));
    const typed = named.filter(([name]) => isTyped(name));
    if (typed.length === 0) {
      const rows = named.map(([name, value]) => [name, value, givenBy(name)]);
      const value = Object.fromEntries(named.map(([name, one]) => [name, { value: one, by: givenBy(name) }]));
      output.result(
        value,
        rows.length === 0 ? "Nothing is linked here." : formatTable(["what", "name", "given by"], rows),
      );
      return;
    }
    const { team = null, project = "", env = "" } = Object.fromEntries(typed) as LinkOptions;
    const remote = await open();
    const place = { team, project, environment: env, names: null };
    try {
      const query = team === null ? {} : teamQuery(team);
      const known = { params: { project }, query };
      if (team !== null && project === "") await remote.client.call("listProjects", { query: { ...query, limit: 1 } });
      if (project !== "" && env === "") await remote.client.call("listEnvironments", known);
      if (project !== "" && env !== "") {
        await remote.client.call("getEnvironment", { params: { project, environment: env }, query });
      }
    } catch (error) {
      throw await explainPlace(error, remote, place);
    }
    if (project === "" && env !== "") throw new Failure("usage", "--project: expected it beside --env");
    const { writeLink } = await import("../bodies/remote/place.ts");
    const file = await writeLink(currentProcess().cwd(), Object.fromEntries(typed));
    output.result({ file, ...Object.fromEntries(typed) }, `Wrote ${file}.`);
  },
};
