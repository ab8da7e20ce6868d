// Two people have changed the same thing: what is stored now beside what was typed here, to choose from.
import type { ReactNode } from "react";
import { isRefusal } from "../api/call.ts";
import { Button } from "./button.tsx";
import { DataTable } from "./table.tsx";

/** Whether somebody else changed it meanwhile. */
export function isConflict(error: Error | null): boolean {
  return isRefusal(error) && error.status === 412;
}

interface Field {
  readonly label: string;
  readonly stored: string;
  readonly typed: string;
}

interface Props {
  readonly fields: readonly Field[];
  readonly busy: boolean;
  /** Stores what was typed over what is stored now. */
  readonly onKeep: () => void;
  /** Shows what is stored, and forgets what was typed. */
  readonly onTake: () => void;
}

export function Conflict({ fields, busy, onKeep, onTake }: Props): ReactNode {
  return (
    <div className="notice" role="alert">
      <p>Somebody changed this while you did. Nothing of yours is stored yet.</p>
      <DataTable
        label="Both versions"
        rows={fields}
        keyOf={({ label }) => label}
        isWrapped
        columns={[
          { title: "Field", cell: ({ label }) => label },
          {
            title: "Stored now",
            cell: ({ stored, typed }) => (stored === typed ? stored : <ins>{stored}</ins>),
          },
          { title: "Yours", cell: ({ typed }) => typed },
        ]}
      />
      <div className="tools">
        <Button busy={busy} onClick={onKeep}>
          Store mine
        </Button>
        <Button kind="plain" onClick={onTake}>
          Show what is stored
        </Button>
      </div>
    </div>
  );
}
