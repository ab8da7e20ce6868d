// The project that a page is about: part of its address, and chosen on the page.
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { useLocation, useRoute } from "wouter";
import { ADDRESSES } from "../addresses.ts";
import { useApi } from "../api/queries.ts";
import { useMay, useTeamId } from "../api/team.ts";
import { Button } from "./button.tsx";
import { onSubmit } from "./form.tsx";
import { isOfProject, sectionOf } from "../routes.ts";
import type { Route } from "../routes.ts";
import { useSearchValue } from "./search-value.ts";
import { Select } from "./select.tsx";
import "../style/project.css";

const DEFAULT_PROJECT = "default";

/** The project in the page's address, and how to choose another. */
export function useProject(): readonly [string, (project: string) => void] {
  const [project, setProject] = useSearchValue("project");
  const [, page] = useRoute(ADDRESSES.project);
  const [, navigate] = useLocation();
  if (page) return [page.project, (chosen) => navigate(projectPageHref(page.team, chosen))];
  return [project || DEFAULT_PROJECT, (chosen) => setProject(chosen === DEFAULT_PROJECT ? "" : chosen)];
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
  const search = new URLSearchParams({ ...(project !== DEFAULT_PROJECT && { project }), ...filled }).toString();
  return path.replace(":team", encodeURIComponent(teamId)) + (search && `?${search}`);
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
  const list = useApi(
    "GET /v9/projects",
    { query: { teamId: useTeamId(), limit: 100 } },
    // Others name a project themselves.
    { enabled: useMay("firewall:read") === true },
  );
  const listed = list.data?.value.projects ?? [];
  const names = [...new Set([DEFAULT_PROJECT, project, ...listed.map(({ name }) => name)])];
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
