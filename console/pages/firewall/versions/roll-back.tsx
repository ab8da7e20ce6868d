// Makes an earlier version the active one again, after a look at what that changes.
import { History, Pencil, TriangleAlert } from "lucide-react";
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
  const count = diff.data?.value.differences.length;
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
      label={`Roll back to version ${version}`}
      change={activate}
      fields={["note"]}
      about={
        <>
          <ul className="facts">
            <li>
              <History className="i i-s" />
              <span>
                Requests are decided by it instead of version {active}. <strong>Nothing is deleted</strong>; all
                versions stay in the list.
              </span>
            </li>
            <li>
              <Pencil className="i i-s" />A draft stays, on top of it.
            </li>
            <li>
              <TriangleAlert className="i i-s" />
              {count === 1 ? "1 change:" : `${count ?? ""} changes:`}
            </li>
          </ul>
          {diff.error && <Problem error={diff.error} />}
          {!diff.data && !diff.error && <Skeleton rows={2} />}
          {diff.data && (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it is scrolled by keyboard
            <section className="scrolled" tabIndex={0} aria-label="What changes">
              <Differences differences={diff.data.value.differences} />
            </section>
          )}
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
