// The environments of the project in the page's address, each with its entries.
import { useQueries, useQuery } from "@tanstack/react-query";
import { ADDRESSES } from "../../addresses.ts";
import { fetchApi } from "../../api/call.ts";
import type { Output } from "../../api/endpoints.ts";
import { useTeamId } from "../../api/team.ts";
import { projectHref, useProject } from "../../parts/project.tsx";
import { emptyEnvironments, orUnbegun } from "./unbegun-project.ts";
import { useWhyNot } from "../../parts/why-not.ts";

const LIST = "GET /v1/environments/:project";
const ONE = "GET /v1/environments/:project/:environment";

export type Environment = Output<typeof ONE>;
export type Entry = Environment["entries"][number];

export interface ProjectEnvironments {
  /** Null: none is read yet. One that was created meanwhile is there as soon as it is read: forms stay open until then. */
  readonly environments: readonly Environment[] | null;
  readonly error: Error | null;
  readonly retry: () => void;
}

type Reading = { readonly signal: AbortSignal };

function oneQuery(teamId: string, project: string, environment: string) {
  const input = { params: { project, environment }, query: { teamId } };
  const begins = emptyEnvironments(project).find(({ name }) => name === environment);
  return {
    queryKey: [ONE, input],
    queryFn: ({ signal }: Reading) => orUnbegun(fetchApi(ONE, input, signal), begins),
  };
}

/** One environment of the project, with its entries. */
export function useEnvironment(environment: string) {
  const teamId = useTeamId();
  const [project] = useProject();
  return useQuery(oneQuery(teamId, project, environment));
}

/** The environments of the project, without their entries. */
export function useEnvironmentList() {
  const teamId = useTeamId();
  const [project] = useProject();
  const input = { params: { project }, query: { teamId } };
  const begins = { environments: [...emptyEnvironments(project)] };
  return useQuery({
    queryKey: [LIST, input],
    queryFn: ({ signal }: Reading) => orUnbegun(fetchApi(LIST, input, signal), begins),
  });
}

export function useEnvironments(): ProjectEnvironments {
  const teamId = useTeamId();
  const [project] = useProject();
  const list = useEnvironmentList();
  const each = useQueries({
    queries: (list.data?.value.environments ?? []).map(({ name }) => oneQuery(teamId, project, name)),
  });
  const found = each.flatMap(({ data }) => (data ? [data.value] : []));
  const failed = each.find(({ error }) => error !== null);
  return {
    environments: found.length > 0 ? found : null,
    error: list.error ?? failed?.error ?? null,
    retry() {
      void list.refetch();
      void failed?.refetch();
    },
  };
}

/** The address of an environment's page, by its name. */
export function useEnvironmentHref(): (name: string) => string {
  const teamId = useTeamId();
  const [project] = useProject();
  return (name) => projectHref(ADDRESSES.environment, teamId, project).replace(":environment", name);
}

/** Why the user may not change environments; null: they may. */
export function useWhyNotWrite(): string | null {
  return useWhyNot("environment:write");
}

export const entryOf = ({ entries }: Environment, key: string): Entry | undefined =>
  entries.find((one) => one.key === key);
/** Those that it does not inherit. */
export const ownOf = ({ entries }: Environment): readonly Entry[] => entries.filter(({ isInherited }) => !isInherited);
export const versionsOf = (environments: readonly Environment[]): Record<string, number> =>
  Object.fromEntries(environments.map(({ name, version }) => [name, version]));
