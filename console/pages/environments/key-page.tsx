// One key across all environments of a project.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { call } from "../../api/call.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { projectHref, useProject } from "../../parts/project.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Table } from "../../parts/table.tsx";
import { TEXTS } from "../../texts.ts";
import { ChangeEntries } from "./change-entries.tsx";
import { EntryValue } from "./entry-value.tsx";
import { Readers } from "./readers.tsx";
import { entryOf, useEnvironments } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import { RemoveEntry } from "./remove-entry.tsx";
import "../../style/environments.css";

const T = TEXTS.environments;
/** How long a value stays on the screen. */
const SHOWN_MS = 60_000;

function Reveal({ environment, of }: { readonly environment: string; readonly of: string }): ReactNode {
  const teamId = useTeamId();
  const client = useQueryClient();
  const [project] = useProject();
  const why = useMay("secret:reveal") === false ? TEXTS.secret.mayNotReveal : null;
  // Not a query: a value is asked for once, each time recorded, and never kept.
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: () =>
      call("GET /v1/environments/:project/:environment/values", {
        params: { project, environment },
        query: { teamId, names: of },
      }),
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: ["GET /v3/events"] }),
  });
  useEffect(() => {
    if (data === undefined) return;
    const timer = setTimeout(reset, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [data, reset]);
  const value = data?.[of];
  if (value !== undefined) {
    return (
      <>
        <Copyable text={value} label={T.value} />
        <Button kind="plain" onClick={reset}>
          {TEXTS.secret.hide}
        </Button>
      </>
    );
  }
  return (
    <>
      {error && <Refusal error={error} retry={mutate} />}
      <Button kind="plain" disabledBecause={why} busy={isPending} onClick={() => mutate()}>
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
  const [open, setOpen] = useState<"change" | "remove" | null>(null);
  const why = useMay("environment:write") === false ? T.mayNotWrite : null;
  const entry = entryOf(environment, of);
  const isOwn = entry !== undefined && !entry.isInherited;
  const close = (): void => setOpen(null);
  return (
    <tr>
      <th scope="row">{environment.name}</th>
      <td>
        <EntryValue entry={entry} />
        {entry?.secret && <Reveal environment={environment.name} of={of} />}
      </td>
      <td className="actions">
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("change")}>
          {T.change}
        </Button>
        <Button kind="plain" disabledBecause={why ?? (isOwn ? null : T.notOwn)} onClick={() => setOpen("remove")}>
          {T.remove}
        </Button>
        {open === "change" && (
          <ChangeEntries environments={environments} first={environment.name} of={of} onClose={close} />
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
    <>
      <p>
        <Link href={projectHref(ADDRESSES.environments, teamId, project)}>{T.toAll}</Link>
      </p>
      <h2>
        <code>{key}</code>
      </h2>
      {error && <Problem error={error} retry={retry} />}
      {environments ? (
        <Table columns={[T.environment, T.value]} actions={TEXTS.list.actions}>
          {environments.map((one) => (
            <Row key={one.name} environment={one} environments={environments} of={key} />
          ))}
        </Table>
      ) : (
        !error && <Skeleton />
      )}
      <Readers of={key} />
    </>
  );
}
