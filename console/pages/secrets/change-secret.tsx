// Changes what is known of a secret beside its name and value. Two who do so at once see both versions.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Fetched } from "../../api/call.ts";
import type { Secret } from "../../api/objects.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Conflict, isConflict } from "../../parts/conflict.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, NOTHING_CHANGED } from "../../parts/form.tsx";
import { LABELS, SECRET_FIELDS, SecretFields, changedSettings, typedOf, DECRYPTABLE_HINT } from "./secret-fields.tsx";

interface Props {
  /** The newest that is known. */
  readonly found: Fetched<Secret>;
  readonly onClose: () => void;
}

export function ChangeSecret({ found, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  // The form is about what it showed first, so that what others stored meanwhile is not written over unseen.
  const [base] = useState(found);
  const [typed, setTyped] = useState(typedOf(base.value));
  const [isReadable, setReadable] = useState(base.value.decryptable);
  const change = useChange("PATCH /v2/secrets/:name", onClose);
  const body = {
    ...changedSettings(typed, typedOf(base.value)),
    ...(isReadable === base.value.decryptable ? {} : { decryptable: isReadable }),
  };
  const nothing = Object.keys(body).length === 0 ? NOTHING_CHANGED : null;
  const save = ({ etag }: Fetched<Secret>): void =>
    change.mutate({
      params: { name: base.value.uid },
      query: { teamId },
      body,
      ...(etag === null ? {} : { ifMatch: etag }),
    });
  const stored = typedOf(found.value);
  return (
    <FormDialog
      title="Edit settings"
      label="Save"
      disabledBecause={nothing}
      change={change}
      fields={SECRET_FIELDS}
      conflict={
        isConflict(change.error) && (
          <Conflict
            fields={SECRET_FIELDS.map((field) => ({
              label: LABELS[field],
              stored: stored[field],
              typed: field in body ? typed[field] : stored[field],
            }))}
            busy={change.isPending}
            onKeep={() => save(found)}
            onTake={onClose}
          />
        )
      }
      onSubmit={onSubmit(() => save(base))}
      onClose={onClose}
    >
      <SecretFields typed={typed} error={change.error} onChange={setTyped} />
      {base.value.decryptable && (
        <>
          <label className="check">
            <input type="checkbox" checked={isReadable} onChange={(event) => setReadable(event.target.checked)} />
            The value can be revealed later
          </label>
          <p className="hint">{DECRYPTABLE_HINT}</p>
        </>
      )}
    </FormDialog>
  );
}
