// Checkpoints: signed statements of what the chain was, to keep elsewhere, and the chain compared with those that were kept.
import { Download } from "lucide-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useTeam, useTeamId } from "../../api/team.ts";
import { canVerify } from "../../api/verify-chain.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { openText, saveText } from "../../parts/files.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Settled } from "../../parts/settled.tsx";
import { DataTable } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { compareCheckpoints, readCheckpoints } from "./compare-checkpoints.ts";
import type { Checkpoint, Comparison } from "./compare-checkpoints.ts";
import { CANNOT_VERIFY } from "./verify-dialog.tsx";

const REASONS = { daily: "daily", demand: "on demand", prune: "older events were removed" };
const FINDINGS = {
  same: "the chain is what it was.",
  other: "the chain was rewritten. Its hash is another one.",
  absent: "the chain does not have it any more.",
  forged: "the signature is not right. The checkpoint was changed, or is not the server’s.",
  foreign: "the checkpoint is about the chain of somebody else.",
};

function List(): ReactNode {
  const query = { teamId: useTeamId() };
  const list = useApiPages("GET /v1/events/checkpoints", { query: { ...query, limit: 20 } });
  const make = useChange("POST /v1/events/checkpoints");
  const why = useWhyNot("event:write");
  const checkpoints = list.data?.pages.flatMap((page) => page.checkpoints) ?? [];
  const save = (checkpoint: Checkpoint): void =>
    saveText(`checkpoint-${checkpoint.sequence}.json`, `${JSON.stringify(checkpoint)}\n`, "application/json");
  return (
    <section>
      <div className="tools">
        <Button disabledBecause={why} busy={make.isPending} onClick={() => make.mutate({ query })}>
          Make one of the newest event
        </Button>
      </div>
      {make.error && <Problem error={make.error} />}
      <DataTable
        label="Checkpoints of the server"
        list={list}
        rows={checkpoints}
        keyOf={({ sequence }) => String(sequence)}
        isWrapped
        columns={[
          { title: "Event", cell: ({ sequence }) => sequence },
          { title: "Made", cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: "Why", cell: ({ reason }) => REASONS[reason] },
          { title: "Hash", cell: ({ hash }) => <code>{hash}</code>, leaves: "narrow" },
        ]}
        nameOf={({ sequence }) => `the checkpoint of event ${sequence}`}
        actions={(checkpoint) => [{ label: "Save as a file", icon: Download, onSelect: () => save(checkpoint) }]}
        empty={
          <Empty
            title="There is no checkpoint yet"
            hint="The server makes one within a day of an event; you can make one now."
          />
        }
      />
    </section>
  );
}

function Findings({ comparison: { compared, brokenAt } }: { readonly comparison: Comparison }): ReactNode {
  const isWhole = brokenAt === null && compared.every(({ finding }) => finding === "same");
  return (
    <div className={isWhole ? "notice good" : "problem"} aria-live="polite">
      {brokenAt !== null && <p>Event {brokenAt} is not what was recorded, or one before it is missing.</p>}
      <ul>
        {compared.map(({ checkpoint, finding }, at) => (
          <li key={at}>
            Event {checkpoint.sequence}: {FINDINGS[finding]}
          </li>
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
      <h2>Compare with those that you kept</h2>
      <p>Your browser reads the whole chain, computes each hash anew, and verifies the signatures.</p>
      {!canVerify() && <p className="notice">{CANNOT_VERIFY}</p>}
      <Field
        label="Checkpoints"
        hint="JSON: one, a list, or one on each line."
        problem={kept === null ? "Something in the text is no checkpoint" : null}
      >
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
      {compare.isPending && <p aria-live="polite">{progress} events so far</p>}
      {compare.data && <Findings comparison={compare.data} />}
      <footer className="tools">
        <Button
          disabledBecause={
            kept === null || kept.length === 0 ? "There is nothing to compare yet" : canVerify() ? null : CANNOT_VERIFY
          }
          busy={compare.isPending}
          onClick={() => compare.mutate(kept ?? [])}
        >
          Compare
        </Button>
        <Button kind="plain" onClick={() => void open()}>
          Open a file
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
      <p>
        A checkpoint says, signed by the server, what the chain of events was at one of them. Keep the newest one
        somewhere else: with it you can tell later whether anything up to that event was rewritten.
      </p>
      <List />
      <Settled>
        <Compare />
      </Settled>
    </>
  );
}
