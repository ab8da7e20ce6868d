// One key across all environments of a project.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { call } from "../../api/call.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useProject } from "../../parts/project.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ShownValue, useReveal } from "../../parts/reveal.tsx";
import { Table } from "../../parts/table.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { ChangeEntry } from "./change-entry.tsx";
import { Missing, PlainValue, StoredAs } from "./entry-value.tsx";
import { entryOf, useEnvironmentHref, useEnvironments, useWhyNotWrite } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
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

interface RowProps {
  readonly environment: Environment;
  readonly environments: readonly Environment[];
  readonly of: string;
}

function Row({ environment, environments, of }: RowProps): ReactNode {
  const hrefOf = useEnvironmentHref();
  const [open, setOpen] = useState<"change" | "remove" | null>(null);
  const why = useWhyNotWrite();
  const { name } = environment;
  const entry = entryOf(environment, of);
  const isOwn = entry !== undefined && !entry.isInherited;
  const close = (): void => setOpen(null);
  return (
    <tr>
      <th scope="row">
        <Link href={hrefOf(name)}>{name}</Link>
      </th>
      <td>{entry ? <StoredAs entry={entry} /> : <Missing />}</td>
      <td>
        {entry?.value !== undefined && <PlainValue text={entry.value} />}
        {entry?.secret && <Reveal environment={name} of={of} />}
      </td>
      <td className="actions">
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("change")}>
          Change
        </Button>
        <Button
          kind="plain"
          disabledBecause={why ?? (isOwn ? null : "The environment has no entry of its own")}
          onClick={() => setOpen("remove")}
        >
          Remove
        </Button>
        {open === "change" && (
          <ChangeEntry environments={environments} environment={environment} of={of} onClose={close} />
        )}
        {open === "remove" && <RemoveEntry environment={environment} of={of} onClose={close} />}
      </td>
    </tr>
  );
}

export function KeyPage(): ReactNode {
  const { key } = useParams<{ readonly key: string }>();
  const { environments, error, retry } = useEnvironments();
  usePageTitle(key, true);
  return (
    <div className="environment">
      {error && <Problem error={error} retry={retry} />}
      {environments ? (
        <Table columns={["Environment", "Stored as", "Value"]} actions="Actions">
          {environments.map((one) => (
            <Row key={one.name} environment={one} environments={environments} of={key} />
          ))}
        </Table>
      ) : (
        !error && <Skeleton />
      )}
      <Readers of={key} />
    </div>
  );
}
