// The flags that select an environment of a project.
import { Option } from "commander";
import { teamQuery } from "../client/client.ts";
import { Failure } from "../platform/outcomes/failure.ts";
import { PlaceOption, orPlace, teamOption } from "./place-options.ts";
import type { EnvironmentPlace } from "./bodies/remote/place-names.ts";

export interface EnvironmentOptions {
  readonly team?: string;
  readonly project?: string;
  readonly env?: string;
}

export const ENVIRONMENT_OPTIONS: readonly Option[] = [
  teamOption(),
  new PlaceOption("project", "name of the project"),
  new PlaceOption("env", "name of the environment, such as production"),
];

export const NAMES_OPTION = new Option(
  "--names <names>",
  "only these values, separated by commas; each has to be there",
);

export const allowEmptyOption = (what = "environment"): Option =>
  new Option("--allow-empty", `go on when the ${what} has no values`);

const KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Throws a Failure that names the missing or wrong flag. */
export function readPlace(options: EnvironmentOptions & { readonly names?: string }): EnvironmentPlace {
  const { team = null, project, env: environment, names = null } = options;
  if (!project) throw new Failure("usage", `--project: expected the name of a project ${orPlace("project")}`);
  if (!environment) throw new Failure("usage", `--env: expected the name of an environment ${orPlace("env")}`);
  const wrong = names?.split(",").find((name) => !KEY.test(name.trim()));
  if (wrong !== undefined) {
    throw new Failure("usage", `--names: expected names of values, such as PORT,LOG_LEVEL, got "${wrong}"`);
  }
  return { team, project, environment, names };
}

/** The place as the client's calls take it. */
export function inputOf({ team, project, environment }: EnvironmentPlace) {
  return { params: { project, environment }, query: team === null ? {} : teamQuery(team) };
}
