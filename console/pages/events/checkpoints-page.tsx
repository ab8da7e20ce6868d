// Checkpoints: signed statements of what the chain was, to keep elsewhere, and the chain compared with those that were kept.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useMay, useTeam, useTeamId } from "../../api/team.ts";
import { canVerify } from "../../api/verify-chain.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { openText, saveText } from "../../parts/files.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { compareCheckpoints, readCheckpoints } from "./compare-checkpoints.ts";
import type { Checkpoint, Comparison } from "./compare-checkpoints.ts";

const T = TEXTS.checkpoints;

function List(): ReactNode {
  const query = { teamId: useTeamId() };
  const list = useApiPages("GET /v1/events/checkpoints", { query: { ...query, limit: 20 } });
  const make = useChange("POST /v1/events/checkpoints");
  const why = useMay("event:write") === false ? T.mayNotMake : null;
  const checkpoints = list.data?.pages.flatMap((page) => page.checkpoints) ?? [];
  const save = (checkpoint: Checkpoint): void =>
    saveText(`checkpoint-${checkpoint.sequence}.json`, `${JSON.stringify(checkpoint)}\n`, "application/json");
  return (
    <section>
      <div className="tools">
        <Button disabledBecause={why} busy={make.isPending} onClick={() => make.mutate({ query })}>
          {T.make}
        </Button>
      </div>
      {make.error && <Problem error={make.error} />}
      <ApiList list={list} isEmpty={checkpoints.length === 0} empty={<Empty title={T.empty} hint={T.emptyHint} />}>
        <Table columns={[T.event, T.made, T.reason, T.hash]} actions={TEXTS.list.actions}>
          {checkpoints.map((checkpoint) => (
            <tr key={checkpoint.sequence}>
              <th scope="row">{checkpoint.sequence}</th>
              <td>
                <Time at={checkpoint.createdAt} />
              </td>
              <td>{T.reasons[checkpoint.reason]}</td>
              <td>
                <code>{checkpoint.hash}</code>
              </td>
              <td className="actions">
                <Button kind="plain" onClick={() => save(checkpoint)}>
                  {T.save}
                </Button>
              </td>
            </tr>
          ))}
        </Table>
      </ApiList>
    </section>
  );
}

function Findings({ comparison: { compared, brokenAt } }: { readonly comparison: Comparison }): ReactNode {
  const isWhole = brokenAt === null && compared.every(({ finding }) => finding === "same");
  return (
    <div className={isWhole ? "notice good" : "problem"} aria-live="polite">
      {brokenAt !== null && <p>{fill(TEXTS.verify.broken, { sequence: brokenAt })}</p>}
      <ul>
        {compared.map(({ checkpoint, finding }, at) => (
          <li key={at}>{fill(T.findings[finding], { sequence: checkpoint.sequence })}</li>
        ))}
      </ul>
    </div>
  );
}

function Compare(): ReactNode {
  const teamId = useTeam().data?.value.id;
  const [text, setText] = useState("");
  const [progress, setProgress] = useState(0);
  const kept = text.trim() === "" ? [] : readCheckpoints(text);
  const compare = useMutation({
    mutationFn: (checkpoints: readonly Checkpoint[]) =>
      compareCheckpoints(checkpoints, teamId ?? "", AbortSignal.timeout(COMPARE_MS), setProgress),
  });
  const open = async (): Promise<void> => {
    const opened = await openText(".json,.ndjson");
    if (opened !== null) setText(opened);
  };
  return (
    <section className="panel">
      <h2>{T.compare}</h2>
      <p>{T.compareWhat}</p>
      {!canVerify() && <p className="notice">{TEXTS.verify.insecure}</p>}
      <Field label={T.kept} hint={T.keptHint} problem={kept === null ? T.unreadable : null}>
        {(control) => (
          <textarea
            {...control}
            className="code"
            rows={5}
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      {compare.error && <Problem error={compare.error} />}
      {compare.isPending && <p aria-live="polite">{fill(TEXTS.verify.progress, { events: progress })}</p>}
      {compare.data && <Findings comparison={compare.data} />}
      <footer className="tools">
        <Button
          disabledBecause={kept === null || kept.length === 0 ? T.nothing : canVerify() ? null : TEXTS.verify.insecure}
          busy={compare.isPending}
          onClick={() => compare.mutate(kept ?? [])}
        >
          {T.start}
        </Button>
        <Button kind="plain" onClick={() => void open()}>
          {T.open}
        </Button>
      </footer>
    </section>
  );
}

/** A million events take minutes. */
const COMPARE_MS = 3_600_000;

export function CheckpointsPage(): ReactNode {
  return (
    <>
      <p>{T.about}</p>
      <List />
      <Compare />
    </>
  );
}
