// A new secret, with a value that one has or one that the server makes.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import {
  NO_SETTINGS,
  SECRET_FIELDS,
  SecretFields,
  settingsOf,
  NAME_HINT,
  VALUE_HINT,
  DECRYPTABLE_HINT,
} from "./secret-fields.tsx";

const FIELDS = ["name", "value", ...SECRET_FIELDS];

interface Props {
  /** What to begin with; empty: nothing. */
  readonly name: string;
  readonly onClose: () => void;
}

export function CreateSecret({ name: wanted, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const [isGenerated, setGenerated] = useState(false);
  const [typed, setTyped] = useState(NO_SETTINGS);
  // Where the address asked for this form, the way back does not open it again.
  const show = ({ name }: { readonly name: string }): void =>
    navigate(`/teams/${teamId}/secrets/${encodeURIComponent(name)}`, { replace: wanted !== "" });
  const create = useChange("POST /v2/secrets", show);
  const generate = useChange("POST /v2/secrets/generate", show);
  const change = isGenerated ? generate : create;
  const { error } = change;
  const submit = onSubmit((field) => {
    const common = { name: field("name"), decryptable: field("decryptable") === "on", ...settingsOf(typed) };
    if (isGenerated) generate.mutate({ query: { teamId }, body: common });
    else create.mutate({ query: { teamId }, body: { ...common, value: field("value", "exact") } });
  });
  return (
    <FormDialog
      title="New secret"
      label="Create secret"
      change={change}
      fields={FIELDS}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Name" hint={NAME_HINT} problem={problemWith(error, "name")}>
        {(control) => (
          <input {...control} name="name" defaultValue={wanted} required autoComplete="off" spellCheck={false} />
        )}
      </Field>
      <label className="check">
        <input type="checkbox" checked={isGenerated} onChange={(event) => setGenerated(event.target.checked)} />
        Generate a random value
      </label>
      {!isGenerated && (
        <Field label="Value" hint={VALUE_HINT} problem={problemWith(error, "value")}>
          {(control) => <textarea {...control} name="value" rows={3} required autoComplete="off" spellCheck={false} />}
        </Field>
      )}
      <label className="check">
        <input type="checkbox" name="decryptable" defaultChecked />
        The value can be revealed later
      </label>
      <p className="hint">{DECRYPTABLE_HINT}</p>
      <details>
        <summary>Description, tags and end</summary>
        <SecretFields typed={typed} error={error} onChange={setTyped} />
      </details>
    </FormDialog>
  );
}
