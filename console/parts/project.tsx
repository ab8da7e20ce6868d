// The project that a page is about: part of its address, and chosen on the page.
import { useEffect, useId, useState } from "react";
import type { ReactNode } from "react";
import { useLocation, useRoute } from "wouter";
import { ADDRESSES } from "../addresses.ts";
import { useApi } from "../api/queries.ts";
import { useMay, useTeamId } from "../api/team.ts";
import { Button } from "./button.tsx";
import { onSubmit } from "./form.tsx";
import { Skeleton } from "./placeholder.tsx";
import { Problem } from "./problem.tsx";
import { isOfProject, sectionOf } from "../routes.ts";
import type { Route } from "../routes.ts";
import { useSearchValue } from "./search-value.ts";
import { Select } from "./select.tsx";

const DEFAULT_PROJECT = "default";

/** The project that was shown last, by team, until the console is loaded again. */
const shownLast = new Map<string, string>();

/** The newest hundred projects of the team, for those who may see them. */
function useProjects() {
  const query = { teamId: useTeamId(), limit: 100 };
  return useApi("GET /v9/projects", { query }, { enabled: useMay("firewall:read") === true });
}

/** Their names; undefined while they are not known, and for those who may not see them. */
export function useProjectNames(): readonly string[] | undefined {
  return useProjects().data?.value.projects.map(({ name }) => name);
}

/** What is about a project, once it is known which: otherwise it would first read what the default one has. */
export function OfProject({ children }: { readonly children: ReactNode }): ReactNode {
  const [searched] = useSearchValue("project");
  const teamId = useTeamId();
  const isNamed = searched !== "" || shownLast.has(teamId);
  const { data, error, refetch } = useProjects();
  const mayNot = useMay("firewall:read") === false;
  if (isNamed || data || mayNot) return children;
  return error ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton />;
}

/**
 * The project in the page's address, and how to choose another. Where the address has none: the one shown last, else the default one,
 * or the newest one of a team that has others alone.
 */
export function useProject(): readonly [string, (project: string) => void] {
  const [searched, setSearched] = useSearchValue("project");
  const [, page] = useRoute(ADDRESSES.project);
  const [, navigate] = useLocation();
  const teamId = useTeamId();
  const names = useProjectNames();
  const given = page?.project ?? searched;
  useEffect(() => {
    if (given !== "") shownLast.set(teamId, given);
  }, [teamId, given]);
  if (page) return [given, (chosen) => navigate(projectPageHref(page.team, chosen))];
  const usual = names?.includes(DEFAULT_PROJECT) ? DEFAULT_PROJECT : (names?.[0] ?? DEFAULT_PROJECT);
  return [given || (shownLast.get(teamId) ?? usual), setSearched];
}

/** The address of a project's own page. */
export function projectPageHref(teamId: string, project: string): string {
  return ADDRESSES.project.replace(":team", teamId).replace(":project", encodeURIComponent(project));
}

/** The address of a page of a team; it keeps the project. `filled` is what else the page finds in its address. */
export function projectHref(
  path: string,
  teamId: string,
  project: string,
  filled: Readonly<Record<string, string>> = {},
): string {
  return `${path.replace(":team", encodeURIComponent(teamId))}?${new URLSearchParams({ project, ...filled })}`;
}

/** The addresses of pages of the team that is shown; those about a project keep the one that is chosen. */
export function usePageHref(): (route: Route) => string {
  const team = useTeamId();
  const [project] = useProject();
  return (route) =>
    isOfProject(sectionOf(route)) ? projectHref(route.path, team, project) : route.path.replace(":team", team);
}

function NameProject({ onDone }: { readonly onDone: () => void }): ReactNode {
  const [, setProject] = useProject();
  const submit = onSubmit((field) => {
    setProject(field("project"));
    onDone();
  });
  return (
    <form className="project" onSubmit={submit}>
      <input
        name="project"
        aria-label="Name of the project"
        placeholder="Name of the project"
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
      />
      <Button kind="plain" type="submit">
        Open
      </Button>
      <Button kind="plain" onClick={onDone}>
        Cancel
      </Button>
    </form>
  );
}

export function ProjectPicker(): ReactNode {
  const id = useId();
  const [project, setProject] = useProject();
  const [isNaming, setNaming] = useState(false);
  const names = [...new Set([DEFAULT_PROJECT, project, ...(useProjectNames() ?? [])])];
  if (isNaming) return <NameProject onDone={() => setNaming(false)} />;
  return (
    <div className="project">
      <label htmlFor={id}>Project</label>
      <Select
        id={id}
        choices={[...names, ["", "Another project…"]]}
        value={project}
        onChange={(chosen) => (chosen === "" ? setNaming(true) : setProject(chosen))}
      />
    </div>
  );
}
