// What a refusal about a place means: a name that the server does not have, with the one that was probably meant.
import { ReeveError } from "../../../client/error.ts";
import { teamQuery } from "../../../client/client.ts";
import type { Client } from "../../../client/client.ts";
import { nearestHint } from "../../../platform/kernel/text/nearest-name.ts";
import { shellWord } from "../../../platform/kernel/text/shell-word.ts";
import { givenBy } from "./place-names.ts";
import { Failure } from "../../../platform/outcomes/failure.ts";
import { explainRemote } from "./remote-failure.ts";
import type { FindNamed, Named } from "./remote-failure.ts";
import type { EnvironmentPlace } from "./place-names.ts";
import type { RemoteClient } from "./open-client.ts";

/** For a refusal that says what of the place is not there. */
export function namedIn({ team, project, environment }: EnvironmentPlace): FindNamed {
  const named: Readonly<Record<string, Named>> = {
    ...(team === null ? {} : { team: { value: team, by: givenBy("team") } }),
    project: { value: project, by: givenBy("project") },
    environment: { value: environment, by: givenBy("env") },
  };
  return (what) => named[what];
}

/** Who waits for an error waits for it only briefly, and this many names are enough to choose from. */
const BRIEFLY = { timeoutMs: 5_000, retries: 0 };
const MAX_NAMES = 1_000;

type ProjectPlace = Pick<EnvironmentPlace, "team" | "project">;

const LISTS: Readonly<Record<string, (client: Client, place: ProjectPlace) => AsyncGenerator<string, void>>> = {
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
async function namesOf(what: string, client: Client, place: ProjectPlace): Promise<readonly string[] | null> {
  const names: string[] = [];
  try {
    for await (const name of LISTS[what]?.(client, place) ?? []) if (names.push(name) >= MAX_NAMES) break;
  } catch {
    // A credential for values alone sees no names: the error is then without one.
    return null;
  }
  return names;
}

/** That there is nothing of a name, with the one that was perhaps meant. */
async function notThere(
  what: string,
  { value, by }: Named,
  { server, client }: RemoteClient,
  place: ProjectPlace,
): Promise<Failure> {
  const of = what === "environment" ? ` of ${place.project}` : "";
  const names = await namesOf(what, client, place);
  const own =
    place.team === null && what !== "team" ? "; without --team it looked in what the credential itself owns" : "";
  const list = what === "environment" ? `environments list ${shellWord(place.project)}` : `${what}s list`;
  const all = names === null ? "" : `; \`reeve ${list}\` lists those that there are`;
  const problem = `${server} has no ${what} ${JSON.stringify(value)}${of} for this credential (${by})`;
  return new Failure("absent", problem + (nearestHint(value, names ?? []) || own + all), "not_found");
}

/** What of a call about a place failed, as a failure of the command; anything else stays as it is. */
export async function explainNamed(
  error: unknown,
  remote: RemoteClient,
  place: ProjectPlace,
  findNamed: FindNamed,
): Promise<unknown> {
  const explained = explainRemote(error, { ...remote, findNamed });
  if (!(error instanceof ReeveError) || error.code !== "not_found") return explained;
  const what = /^(Team|Project|Environment) not found\b/.exec(error.message)?.[1]?.toLowerCase() ?? "";
  const named = what === "" ? undefined : findNamed(what);
  return named === undefined ? explained : await notThere(what, named, remote, place);
}

/** The same of a call about an environment. */
export async function explainPlace(error: unknown, remote: RemoteClient, place: EnvironmentPlace): Promise<unknown> {
  return await explainNamed(error, remote, place, namedIn(place));
}

/** Whether there is the project; null: the credential may not know. The API shows one that has not begun as well, without a time. */
async function isThere({ client }: RemoteClient, { team, project }: ProjectPlace): Promise<boolean | null> {
  const query = team === null ? {} : teamQuery(team);
  try {
    const { createdAt } = await client.call("getProject", { params: { idOrName: project }, query }, BRIEFLY);
    return createdAt !== undefined;
  } catch {
    return null;
  }
}

/** Refuses a project that is not there before a read of which the API says what every project begins with. */
export async function requireProject(
  remote: RemoteClient,
  place: ProjectPlace,
  by = givenBy("project"),
): Promise<void> {
  if ((await isThere(remote, place)) !== false) return;
  throw await notThere("project", { value: place.project, by }, remote, place);
}

/** What a change says that begins a project, with the name that was perhaps meant; null: there is the project, or nobody may know. */
export async function newProject(
  remote: RemoteClient,
  place: ProjectPlace,
): Promise<{ readonly said: string; readonly hint: string } | null> {
  const { project } = place;
  if ((await isThere(remote, place)) !== false) return null;
  const hint = nearestHint(project, (await namesOf("project", remote.client, place)) ?? []);
  return { said: `There is no project ${project} yet: the change begins it${hint}`, hint };
}

/** Says that a change begins its project. */
export async function announceNewProject(
  remote: RemoteClient,
  place: ProjectPlace,
  note: (text: string) => void,
): Promise<void> {
  const begun = await newProject(remote, place);
  if (begun !== null) note(begun.said);
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
