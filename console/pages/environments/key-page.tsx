// One key across all environments of a project.
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { call } from "../../api/call.ts";
import { useTeamId } from "../../api/team.ts";
import { Settled } from "../../parts/settled.tsx";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useProject } from "../../parts/project.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ShownValue, useReveal } from "../../parts/reveal.tsx";
import { DataTable } from "../../parts/table.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { ChangeEntry } from "./change-entry.tsx";
import { Missing, PlainValue, StoredAs } from "./entry-value.tsx";
import { entryOf, useEnvironmentHref, useEnvironments, useWhyNotWrite } from "./project-environments.ts";
import { Readers } from "./readers.tsx";
import { RemoveEntry } from "./remove-entry.tsx";
import "../../style/environments.css";
import { usePageTitle } from "../../parts/page-title.tsx";

function Reveal({ environment, of }: { readonly environment: string; readonly of: string }): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const why = useWhyNot("secret:reveal");
  const { data, error, isPending, reveal, hide } = useReveal(() =>
    call("GET /v1/environments/:project/:environment/values", {
      params: { project, environment },
      query: { teamId, names: of },
    }),
  );
  const value = data?.[of];
  if (value !== undefined) return <ShownValue value={value} onHide={hide} />;
  return (
    <>
      {error && <Refusal error={error} retry={reveal} />}
      <Button kind="plain" disabledBecause={why} busy={isPending} onClick={reveal}>
        Reveal
      </Button>
    </>
  );
}

export function KeyPage(): ReactNode {
  const { key } = useParams<{ readonly key: string }>();
  const { environments, error, retry } = useEnvironments();
  const hrefOf = useEnvironmentHref();
  const [open, setOpen] = useState<{ readonly act: "change" | "remove"; readonly name: string } | null>(null);
  const opened = environments?.find(({ name }) => name === open?.name);
  const close = (): void => setOpen(null);
  const why = useWhyNotWrite();
  usePageTitle(key, true);
  return (
    <div className="environment">
      {error && <Problem error={error} retry={retry} />}
      {environments ? (
        <DataTable
          label={key}
          rows={environments.map((environment) => ({ environment, entry: entryOf(environment, key) }))}
          keyOf={({ environment }) => environment.name}
          isWrapped
          columns={[
            {
              title: "Environment",
              cell: ({ environment: { name } }) => <Link href={hrefOf(name)}>{name}</Link>,
            },
            { title: "Stored as", cell: ({ entry }) => (entry ? <StoredAs entry={entry} /> : <Missing />) },
            {
              title: "Value",
              cell: ({ environment, entry }) => (
                <>
                  {entry?.value !== undefined && <PlainValue text={entry.value} />}
                  {entry?.secret && <Reveal environment={environment.name} of={key} />}
                </>
              ),
            },
          ]}
          actions={({ environment: { name }, entry }) => [
            { label: "Change", icon: Pencil, whyNot: why, onSelect: () => setOpen({ act: "change", name }) },
            {
              label: "Remove",
              icon: Trash2,
              isDanger: true,
              whyNot: why ?? (entry && !entry.isInherited ? null : "The environment has no entry of its own"),
              onSelect: () => setOpen({ act: "remove", name }),
            },
          ]}
        />
      ) : (
        !error && <Skeleton />
      )}
      <Settled>
        <Readers of={key} />
      </Settled>
      {environments && opened && open?.act === "change" && (
        <ChangeEntry environments={environments} environment={opened} of={key} onClose={close} />
      )}
      {opened && open?.act === "remove" && <RemoveEntry environment={opened} of={key} onClose={close} />}
    </div>
  );
}
