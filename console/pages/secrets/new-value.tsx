// A new version of a secret's value. It is refused if somebody else stored one meanwhile.
import type { ReactNode } from "react";
import { isRefusal } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import type { Secret } from "../../api/objects.ts";
import { VALUE_HINT } from "./secret-fields.tsx";

export function NewValue({ secret, onClose }: { readonly secret: Secret; readonly onClose: () => void }): ReactNode {
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
  const other = otherProblem(put.error, ["value"]);
  const isTold = isRefusal(other) && other.code === "version_conflict";
  return (
    <Dialog title="Store a new value" onClose={onClose}>
      <form onSubmit={submit}>
        {isTold ? (
          <p className="notice" role="alert">
            Somebody else stored version {secret.version} meanwhile. What you typed becomes version {secret.version + 1}{" "}
            if you store it again.
          </p>
        ) : (
          other && <Problem error={other} />
        )}
        <Field label="Value" hint={VALUE_HINT} problem={problemWith(put.error, "value")}>
          {(control) => <textarea {...control} name="value" rows={4} required autoComplete="off" spellCheck={false} />}
        </Field>
        <footer>
          <Button type="submit" busy={put.isPending}>
            Store
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
