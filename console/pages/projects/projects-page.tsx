// The projects of a team: what environments and firewalls belong to.
import { Box, ChartArea, FilePen, Layers, Plus, Shield, ShieldCheck } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import type { MenuEntry } from "../../parts/menu-entries.ts";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { PageActions, PageCount } from "../../parts/page-title.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { projectHref, projectPageHref } from "../../parts/project.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { ConnectGate } from "./connect-gate.tsx";

type Project = Output<"GET /v9/projects">["projects"][number];
type Security = Project["security"];

/** What gates enforce. */
export function EnforcedBadge({ security }: { readonly security: Security }): ReactNode {
  const { firewallConfigVersion: version, firewallEnabled } = security;
  if (version === undefined) return <span className="quiet">No firewall</span>;
  if (!firewallEnabled) return <span className="badge">Version {version} is off</span>;
  return (
    <span className="badge good">
      <ShieldCheck className="i i-s" />
      Version {version}
    </span>
  );
}

export function AttackModeText({ security }: { readonly security: Security }): ReactNode {
  const { attackModeEnabled, attackModeActiveUntil: until } = security;
  if (!attackModeEnabled) return "Off";
  return (
    <span className="badge warn">
      On
      {until !== null && (
        <>
          , ends <Time at={until} />
        </>
      )}
    </span>
  );
}

function columnsOf(teamId: string): readonly Column<Project>[] {
  return [
    {
      title: "Project",
      cell: ({ name, security }) => (
        <span className="name">
          <Link href={projectPageHref(teamId, name)}>{name}</Link>
          {security.firewallDraftUpdatedAt !== undefined && (
            <Link className="badge info" href={projectHref(ADDRESSES.firewallPublish, teamId, name)}>
              Draft
            </Link>
          )}
        </span>
      ),
    },
    { title: "Firewall", cell: ({ security }) => <EnforcedBadge security={security} /> },
    { title: "Attack mode", cell: ({ security }) => <AttackModeText security={security} />, leaves: "phone" },
    { title: "Changed", cell: ({ updatedAt }) => updatedAt && <Time at={updatedAt} />, leaves: "phone" },
  ];
}

function CreateProject({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const create = useChange("POST /v11/projects", ({ name }) => navigate(projectPageHref(teamId, name)));
  return (
    <FormDialog
      title="New project"
      label="Create project"
      change={create}
      fields={["name"]}
      onSubmit={onSubmit((field) => create.mutate({ query: { teamId }, body: { name: field("name") } }))}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="Letters, digits, _, . and -. It never changes: gates, programs and environments use it."
        problem={problemWith(create.error, "name")}
      >
        {(control) => (
          <input
            {...control}
            name="name"
            required
            maxLength={100}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
          />
        )}
      </Field>
    </FormDialog>
  );
}

/** What is done with a project: where its parts are, and its gates. */
function useActions(onConnect: (project: string) => void): (project: Project) => readonly MenuEntry[] {
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const whyNotConnect = useWhyNot("api-key:manage");
  const mayEnvironments = useMay("environment:read") === true;
  return ({ name, security }) => {
    const to = (label: string, icon: LucideIcon, address: string): MenuEntry => ({
      label,
      icon,
      onSelect: () => navigate(projectHref(address, teamId, name)),
    });
    const hasDraft = security.firewallDraftUpdatedAt !== undefined;
    return [
      ...(hasDraft ? [to("Review changes", FilePen, ADDRESSES.firewallPublish)] : []),
      ...(mayEnvironments ? [to("Environments", Layers, ADDRESSES.environments)] : []),
      to("Rules", Shield, ADDRESSES.firewall),
      to("Traffic", ChartArea, ADDRESSES.firewallTraffic),
      "line",
      { label: "Connect gate", icon: Plus, whyNot: whyNotConnect, onSelect: () => onConnect(name) },
    ];
  };
}

export function ProjectsPage(): ReactNode {
  const teamId = useTeamId();
  const [search, setSearch] = useSearchValue("search");
  const [isCreating, setCreating] = useState(false);
  const [connected, setConnected] = useState<string | null>(null);
  const actions = useActions(setConnected);
  const why = useWhyNot("firewall:write");
  const list = useApiPages("GET /v9/projects", { query: { teamId, limit: 50, ...chosen({ search }) } });
  const projects = list.data?.pages.flatMap((page) => page.projects) ?? [];
  return (
    <>
      <PageCount list={list} count={projects.length} />
      <PageActions>
        <Button disabledBecause={why} onClick={() => setCreating(true)}>
          <Plus className="i" />
          New project
        </Button>
      </PageActions>
      <search className="tools">
        <SearchInput label="Search projects" value={search} onChange={setSearch} />
      </search>
      <DataTable
        label="Projects"
        list={list}
        rows={projects}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={columnsOf(teamId)}
        actions={actions}
        empty={
          search === "" ? (
            <Empty
              title="The team has no projects yet"
              hint="A project is one application: its environments, and the firewall in front of it."
              icon={Box}
            />
          ) : (
            <Empty title="No project matches" hint="Search for another part of the name." />
          )
        }
      />
      {isCreating && <CreateProject onClose={() => setCreating(false)} />}
      {connected !== null && <ConnectGate project={connected} onClose={() => setConnected(null)} />}
    </>
  );
}
