// Gives an API key another value, which is shown once; the present one may work for a while.
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";

const HOUR_MS = 3_600_000;

interface Props {
  readonly apiKey: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

export function RotateKey({ apiKey: { id, name }, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const rotate = useChange("POST /v1/api-keys/:keyId/rotate");
  const submit = onSubmit((field) =>
    rotate.mutate({
      params: { keyId: id },
      query: { teamId },
      body: { overlapMs: Number(field("hours")) * HOUR_MS, ...(field("force") === "on" ? { force: true } : {}) },
    }),
  );
  return (
    <FormDialog
      title={`Give the key ${name} another value?`}
      label="Rotate"
      change={rotate}
      about={<p>The new value is shown once, and you answer for the key from now on.</p>}
      done={rotate.data && <ShownOnce label="Key" value={rotate.data.value} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Hours for which the present value goes on to work" hint="At most 24. 0: it stops at once.">
        {(control) => <input {...control} name="hours" type="number" min={0} max={24} defaultValue={24} required />}
      </Field>
      <label className="check">
        <input type="checkbox" name="force" />
        Also when the last rotation is not over: the value before it stops now
      </label>
    </FormDialog>
  );
}
