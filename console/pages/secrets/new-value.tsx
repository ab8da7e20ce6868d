// A new version of a secret's value. It is refused if somebody else stored one meanwhile.
import type { ReactNode } from "react";
import { isRefusal } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import type { Secret } from "../../api/objects.ts";
import { VALUE_HINT } from "./secret-fields.tsx";

interface Props {
  readonly secret: Pick<Secret, "uid" | "version">;
  readonly onClose: () => void;
}

export function NewValue({ secret, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const put = useChange("PUT /v2/secrets/:name", onClose);
  const expectVersion = useSeenVersion(secret.version, put.error);
  const submit = onSubmit((field) =>
    put.mutate({
      params: { name: secret.uid },
      query: { teamId },
      body: { value: field("value", "exact"), expectedVersion: expectVersion() },
    }),
  );
  const isTold = isRefusal(put.error) && put.error.code === "version_conflict";
  return (
    <FormDialog
      title="New version"
      label="Save"
      change={put}
      fields={["value"]}
      conflict={
        isTold && (
          <p className="notice" role="alert">
            Somebody else stored version {secret.version} meanwhile. What you typed becomes version {secret.version + 1}{" "}
            if you save it again.
          </p>
        )
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Value" hint={VALUE_HINT} problem={problemWith(put.error, "value")}>
        {(control) => <textarea {...control} name="value" rows={4} required autoComplete="off" spellCheck={false} />}
      </Field>
    </FormDialog>
  );
}
