// What the pages of the firewall have in common: links to each other, and the project that they are about.
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { ADDRESSES } from "../../addresses.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { ROUTES } from "../../routes.ts";
import { TEXTS } from "../../texts.ts";
import "../../style/firewall.css";

const T = TEXTS.firewallNav;
const DEFAULT_PROJECT = "default";
const OF_FIREWALL = /^\/teams\/:team\/firewall(\/[a-z-]+)?$/;

/** The draft leads to the page that publishes it. */
const TABS = ROUTES.filter(({ path }) => OF_FIREWALL.test(path) && path !== ADDRESSES.firewallPublish);

/** The project in the page's address, and how to choose another. */
export function useProject(): readonly [string, (project: string) => void] {
  const [project, setProject] = useSearchValue("project");
  return [project || DEFAULT_PROJECT, (chosen) => setProject(chosen === DEFAULT_PROJECT ? "" : chosen)];
}

/** The address of a page of the firewall; it keeps the project. */
export function firewallHref(path: string, teamId: string, project: string): string {
  const search = project === DEFAULT_PROJECT ? "" : `?project=${encodeURIComponent(project)}`;
  return path.replace(":team", encodeURIComponent(teamId)) + search;
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
        aria-label={T.name}
        placeholder={T.name}
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
      />
      <Button kind="plain" type="submit">
        {T.open}
      </Button>
      <Button kind="plain" onClick={onDone}>
        {T.cancel}
      </Button>
    </form>
  );
}

function ProjectPicker(): ReactNode {
  const id = useId();
  const [project, setProject] = useProject();
  const [isNaming, setNaming] = useState(false);
  const listed = useApi("GET /v9/projects", { query: { teamId: useTeamId(), limit: 100 } }).data?.value.projects ?? [];
  const names = [...new Set([DEFAULT_PROJECT, project, ...listed.map(({ name }) => name)])];
  if (isNaming) return <NameProject onDone={() => setNaming(false)} />;
  return (
    <div className="project">
      <label htmlFor={id}>{T.project}</label>
      <select
        id={id}
        value={project}
        onChange={({ target }) => (target.value === "" ? setNaming(true) : setProject(target.value))}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
        <option value="">{T.other}</option>
      </select>
    </div>
  );
}

/** Stands above every page of the firewall. */
export function FirewallNav(): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  return (
    <div className="firewall-nav">
      <Tabs
        label={T.label}
        tabs={TABS.map(({ path, title }) => ({
          title: path === ADDRESSES.firewall ? TEXTS.firewallRules.rules : title,
          href: firewallHref(path, teamId, project),
        }))}
      />
      <ProjectPicker />
    </div>
  );
}
