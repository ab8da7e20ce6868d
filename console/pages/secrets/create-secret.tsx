// A new secret, with a value that one has or one that the server makes.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { Refusal } from "../../parts/proof.tsx";
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

export function CreateSecret({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const [isGenerated, setGenerated] = useState(false);
  const [typed, setTyped] = useState(NO_SETTINGS);
  const show = ({ name }: { readonly name: string }): void =>
    navigate(`/teams/${teamId}/secrets/${encodeURIComponent(name)}`);
  const create = useChange("POST /v2/secrets", show);
  const generate = useChange("POST /v2/secrets/generate", show);
  const { error, isPending } = isGenerated ? generate : create;
  const other = otherProblem(error, FIELDS);
  const submit = onSubmit((field) => {
    const common = { name: field("name"), decryptable: field("decryptable") === "on", ...settingsOf(typed) };
    if (isGenerated) generate.mutate({ query: { teamId }, body: common });
    else create.mutate({ query: { teamId }, body: { ...common, value: field("value", "exact") } });
  });
  return (
    <Dialog title="Create a secret" onClose={onClose}>
      <form onSubmit={submit}>
        {other && <Refusal error={other} retry={() => undefined} />}
        <Field label="Name" hint={NAME_HINT} problem={problemWith(error, "name")}>
          {(control) => <input {...control} name="name" required autoComplete="off" spellCheck={false} />}
        </Field>
        <label className="check">
          <input type="checkbox" checked={isGenerated} onChange={(event) => setGenerated(event.target.checked)} />
          Let the server make a random value
        </label>
        {!isGenerated && (
          <Field label="Value" hint={VALUE_HINT} problem={problemWith(error, "value")}>
            {(control) => (
              <textarea {...control} name="value" rows={3} required autoComplete="off" spellCheck={false} />
            )}
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
        <footer>
          <Button type="submit" busy={isPending}>
            Create a secret
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
