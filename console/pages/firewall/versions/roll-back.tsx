// Makes an earlier version the active one again, after a look at what that changes.
import type { ReactNode } from "react";
import { useApi, useChange } from "../../../api/queries.ts";
import { Field } from "../../../parts/field.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../../parts/form.tsx";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Differences } from "../difference.tsx";
import { useFirewallQuery } from "../firewall-config.ts";

interface Props {
  readonly version: number;
  readonly active: number;
  readonly onClose: () => void;
}

export function RollBack({ version, active, onClose }: Props): ReactNode {
  const query = useFirewallQuery();
  const diff = useApi("GET /v1/firewalls/:configVersion/diff/:otherVersion", {
    params: { configVersion: String(active), otherVersion: String(version) },
    query,
  });
  const activate = useChange("POST /v1/firewalls/:configVersion/activate", onClose);
  const submit = onSubmit((field) =>
    activate.mutate({
      params: { configVersion: String(version) },
      query,
      body: { expectedVersion: active, ...(field("note") !== "" && { note: field("note") }) },
    }),
  );
  return (
    <FormDialog
      title={`Roll back to version ${version}?`}
      label="Roll back"
      change={activate}
      fields={["note"]}
      about={
        <>
          <p>
            From now on requests are decided by it instead of version {active}. A draft stays, on top of it. This is
            what changes:
          </p>
          {diff.error && <Problem error={diff.error} />}
          {!diff.data && !diff.error && <Skeleton rows={2} />}
          {diff.data && <Differences differences={diff.data.value.differences} />}
        </>
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Note" problem={problemWith(activate.error, "note")}>
        {(control) => <input {...control} name="note" autoComplete="off" maxLength={500} />}
      </Field>
    </FormDialog>
  );
}
