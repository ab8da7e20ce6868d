// One key across all environments of a project.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { call } from "../../api/call.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { projectHref, useProject } from "../../parts/project.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ShownValue, useReveal } from "../../parts/reveal.tsx";
import { Table } from "../../parts/table.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { ChangeEntry } from "./change-entry.tsx";
import { Missing, PlainValue, StoredAs } from "./entry-value.tsx";
import { entryOf, useEnvironmentHref, useEnvironments, useWhyNotWrite } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import { Readers } from "./readers.tsx";
import { RemoveEntry } from "./remove-entry.tsx";
import "../../style/environments.css";

const T = TEXTS.environments;

function Reveal({ environment, of }: { readonly environment: string; readonly of: string }): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const why = useMay("secret:reveal") === false ? TEXTS.secret.mayNotReveal : null;
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
        {TEXTS.secret.reveal}
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
          {T.change}
        </Button>
        <Button kind="plain" disabledBecause={why ?? (isOwn ? null : T.notOwn)} onClick={() => setOpen("remove")}>
          {T.remove}
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
  const teamId = useTeamId();
  const [project] = useProject();
  const { environments, error, retry } = useEnvironments();
  return (
    <div className="environment">
      <p>
        <Link href={projectHref(ADDRESSES.environments, teamId, project)}>{T.toAll}</Link>
      </p>
      <h2>
        <code>{key}</code> <span className="quiet">{fill(T.ofProject, { project })}</span>
      </h2>
      {error && <Problem error={error} retry={retry} />}
      {environments ? (
        <Table columns={[T.environment, T.storedHow, T.value]} actions={TEXTS.list.actions}>
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
