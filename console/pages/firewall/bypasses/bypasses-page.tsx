// The bypass list of a project: clients that attack mode does not challenge.
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import { useTeamId } from "../../../api/team.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { onSubmit, problemWith } from "../../../parts/form.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { chosen } from "../../../parts/search-value.ts";
import { DataTable } from "../../../parts/table.tsx";
import type { Column } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { useProject } from "../../../parts/project.tsx";
import { AddBypass } from "./add-bypass.tsx";
import { RemoveBypass, clientOf } from "./remove-bypass.tsx";
import { useBypasses } from "./use-bypasses.ts";
import type { Bypass } from "./use-bypasses.ts";
import { PageActions } from "../../../parts/page-title.tsx";
import { Select } from "../../../parts/select.tsx";

const FILTERS = ["address", "domain", "scope"] as const;

/** `2030-01-31 12:00:00`, in UTC, as ms. */
function timeOf(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

/** Incomplete addresses are refused, so the search begins when it is asked for. */
function Search({ error }: { readonly error: Error | null }): ReactNode {
  const [params, setParams] = useSearchParams();
  const submit = onSubmit((field) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        for (const name of FILTERS) {
          if (field(name) === "") next.delete(name);
          else next.set(name, field(name));
        }
        return next;
      },
      { replace: true },
    ),
  );
  return (
    <search>
      <form className="filters" onSubmit={submit}>
        <Field
          label="Only of this address or network"
          problem={problemWith(error, "sourceIp") ?? problemWith(error, "query.sourceIp")}
        >
          {(control) => (
            <input
              {...control}
              name="address"
              type="search"
              maxLength={49}
              defaultValue={params.get("address") ?? ""}
            />
          )}
        </Field>
        <Field label="Only of this domain" problem={problemWith(error, "domain")}>
          {(control) => <input {...control} name="domain" type="search" defaultValue={params.get("domain") ?? ""} />}
        </Field>
        <Field label="For">
          {(control) => (
            <Select
              {...control}
              name="scope"
              choices={[
                ["", "Projects and domains"],
                ["project", "The whole project"],
                ["domain", "One domain"],
              ]}
              defaultValue={params.get("scope") ?? ""}
            />
          )}
        </Field>
        <Button kind="plain" type="submit">
          Search
        </Button>
      </form>
    </search>
  );
}

const COLUMNS: readonly Column<Bypass>[] = [
  {
    title: "Client",
    cell: (bypass) => (
      <>
        <strong>{clientOf(bypass)}</strong>
        <span className="quiet">{bypass.Note}</span>
      </>
    ),
  },
  { title: "For", cell: ({ IsProjectRule, Domain }) => (IsProjectRule ? "the whole project" : <code>{Domain}</code>) },
  { title: "Ends", cell: ({ ExpiresAt }) => (ExpiresAt === null ? "never" : <Time at={ExpiresAt * 1_000} />) },
  { title: "Changed", cell: ({ UpdatedAt }) => <Time at={timeOf(UpdatedAt)} />, leaves: "narrow" },
];

export function BypassesPage(): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const [params] = useSearchParams();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Bypass | null>(null);
  const why = useWhyNot("firewall:write");
  const [sourceIp = "", domain = "", scope = ""] = FILTERS.map((name) => params.get(name) ?? "");
  const list = useBypasses({
    teamId,
    projectId,
    ...chosen({ sourceIp, domain }),
    ...(scope !== "" && { projectScope: scope === "project" }),
  });
  const entries = list.data?.pages.flatMap(({ result }) => result) ?? [];
  const isFiltered = sourceIp + domain + scope !== "";
  const add = (
    <Button disabledBecause={why} onClick={() => setAdding(true)}>
      <Plus className="i" />
      Add bypass
    </Button>
  );
  const empty = isFiltered ? (
    <Empty title="No entry matches" hint="Search for another address or domain, or clear the search." />
  ) : (
    <Empty
      title="Nobody is on the list"
      hint="Add the programs, monitors and offices that must not meet a challenge."
    />
  );
  return (
    <>
      <p>Clients on this list are not challenged while attack mode is on. Rules apply to them as to everybody.</p>
      <Search key={params.toString()} error={list.error} />
      <PageActions>{add}</PageActions>
      <DataTable
        label="Bypasses"
        list={list}
        rows={entries}
        keyOf={({ Id }) => Id}
        nameOf={clientOf}
        isWrapped
        columns={COLUMNS}
        actions={(bypass) => [
          { label: "Remove…", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setRemoved(bypass) },
        ]}
        empty={empty}
      />
      {removed && <RemoveBypass bypass={removed} onClose={() => setRemoved(null)} />}
      {isAdding && <AddBypass onClose={() => setAdding(false)} />}
    </>
  );
}
