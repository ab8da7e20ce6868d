// Another name for a secret; the present one may go on to read it.
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import type { Secret } from "../../api/objects.ts";
import { NAME_HINT } from "./secret-fields.tsx";

export function RenameSecret({
  secret,
  onClose,
}: {
  readonly secret: Secret;
  readonly onClose: () => void;
}): ReactNode {
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const rename = useChange("PATCH /v2/secrets/:name", ({ name }) => {
    onClose();
    navigate(`/teams/${teamId}/secrets/${encodeURIComponent(name)}`, { replace: true });
  });
  const expectVersion = useSeenVersion(secret.metadataVersion, rename.error);
  const submit = onSubmit((field) =>
    rename.mutate({
      params: { name: secret.uid },
      query: { teamId },
      body: { name: field("name"), keepAlias: field("keepAlias") === "on", expectedVersion: expectVersion() },
    }),
  );
  return (
    <FormDialog title="Rename" change={rename} fields={["name"]} onSubmit={submit} onClose={onClose}>
      <Field label="Name" hint={NAME_HINT} problem={problemWith(rename.error, "name")}>
        {(control) => (
          <input {...control} name="name" defaultValue={secret.name} required autoComplete="off" spellCheck={false} />
        )}
      </Field>
      <label className="check">
        <input type="checkbox" name="keepAlias" defaultChecked />
        The present name still reads it
      </label>
    </FormDialog>
  );
}
