// Creates an environment of the project.
import { useState } from "react";
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { useProject } from "../../parts/project.tsx";
import { InheritsFrom } from "./inherits-from.tsx";

export function CreateEnvironment({
  names,
  onClose,
}: {
  readonly names: readonly string[];
  readonly onClose: () => void;
}): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const [from, setFrom] = useState("");
  const create = useChange("POST /v1/environments/:project", onClose);
  const submit = onSubmit((field) =>
    create.mutate({
      params: { project },
      query: { teamId },
      body: { name: field("name"), inheritsFrom: from || null },
    }),
  );
  return (
    <FormDialog
      title="New environment"
      change={create}
      fields={["name", "inheritsFrom"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="At most 32 of a-z, 0-9, - and _, beginning with a letter or a digit."
        problem={problemWith(create.error, "name")}
      >
        {(control) => (
          <input {...control} name="name" required autoComplete="off" spellCheck={false} autoCapitalize="off" />
        )}
      </Field>
      <InheritsFrom names={names} value={from} problem={problemWith(create.error, "inheritsFrom")} onChange={setFrom} />
    </FormDialog>
  );
}
