// What a refusal about an environment's place means: a name that the server does not have, with the one that was probably meant.
import { ReeveError } from "../client/error.ts";
import { teamQuery } from "../client/client.ts";
import type { Client } from "../client/client.ts";
import { nearestHint } from "../kernel/text/nearest-name.ts";
import { namedIn } from "./environment-options.ts";
import { Failure } from "./failure.ts";
import { explainRemote } from "./remote-failure.ts";
import type { EnvironmentPlace, RemoteClient } from "./remote.ts";

/** Who waits for an error waits for it only briefly, and this many names are enough to choose from. */
const BRIEFLY = { timeoutMs: 5_000, retries: 0 };
const MAX_NAMES = 1_000;

const LISTS: Readonly<Record<string, (client: Client, place: EnvironmentPlace) => AsyncGenerator<string, void>>> = {
  async *team(client) {
    for await (const { slug } of client.items("listTeams", { query: { limit: 100 } }, BRIEFLY)) yield slug;
  },
  async *project(client, { team }) {
    const query = { limit: 100, ...(team === null ? {} : teamQuery(team)) };
    for await (const { name } of client.items("listProjects", { query }, BRIEFLY)) yield name;
  },
  async *environment(client, { team, project }) {
    const query = team === null ? {} : teamQuery(team);
    yield* (await client.call("listEnvironments", { params: { project }, query }, BRIEFLY)).environments.map(
      ({ name }) => name,
    );
  },
};

/** The names of a kind that the credential may see; null where it may see none. */
async function namesOf(what: string, client: Client, place: EnvironmentPlace): Promise<readonly string[] | null> {
  const names: string[] = [];
  try {
    for await (const name of LISTS[what]?.(client, place) ?? []) if (names.push(name) >= MAX_NAMES) break;
  } catch {
    // A credential for values alone sees no names: the error is then without one.
    return null;
  }
  return names;
}

/** What of a call about a place failed, as a failure of the command; anything else stays as it is. */
export async function explainPlace(error: unknown, remote: RemoteClient, place: EnvironmentPlace): Promise<unknown> {
  const findNamed = namedIn(place);
  const explained = explainRemote(error, { ...remote, findNamed });
  if (!(error instanceof ReeveError) || error.code !== "not_found") return explained;
  const what = /^(Team|Project|Environment) not found\b/.exec(error.message)?.[1]?.toLowerCase() ?? "";
  const named = findNamed(what);
  if (named === undefined) return explained;
  const of = what === "environment" ? ` of ${place.project}` : "";
  const hint = nearestHint(named.value, (await namesOf(what, remote.client, place)) ?? []);
  const problem = `${remote.server} has no ${what} ${JSON.stringify(named.value)}${of} for this credential (${named.by})`;
  return new Failure("refused", problem + hint, error.code);
}

/** What a change says that begins a project, with the name that was perhaps meant; null: there is the project, or nobody may know. */
export async function newProject(
  { client }: RemoteClient,
  place: EnvironmentPlace,
): Promise<{ readonly said: string; readonly hint: string } | null> {
  const { project } = place;
  const names = await namesOf("project", client, place);
  if (names === null || names.length >= MAX_NAMES || names.includes(project)) return null;
  const hint = nearestHint(project, names);
  return { said: `There is no project ${project} yet: the change begins it${hint}`, hint };
}

/** Refuses a place without values, unless that is meant; `consequence` says what happens then. */
export function requireValues(
  values: object,
  { project, environment }: EnvironmentPlace,
  allowsEmpty: boolean,
  consequence: string,
): void {
  if (allowsEmpty || Object.keys(values).length > 0) return;
  const problem = `${environment} of ${project} has no values for this credential: --allow-empty ${consequence}`;
  throw new Failure("refused", problem, "no_values");
}
