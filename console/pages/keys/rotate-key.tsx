// Gives an API key another value, which is shown once; the present one may work for a while.
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { Refusal } from "../../parts/proof.tsx";
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
  const retry = (): void => {
    if (rotate.variables) rotate.mutate(rotate.variables);
  };
  return (
    <Dialog title={`Give the key ${name} another value?`} onClose={onClose}>
      {rotate.data ? (
        <ShownOnce label="Key" value={rotate.data.value} />
      ) : (
        <form onSubmit={submit}>
          <p>The new value is shown once, and you answer for the key from now on.</p>
          {rotate.error && <Refusal error={rotate.error} retry={retry} />}
          <Field label="Hours for which the present value goes on to work" hint="At most 24. 0: it stops at once.">
            {(control) => <input {...control} name="hours" type="number" min={0} max={24} defaultValue={24} required />}
          </Field>
          <label className="check">
            <input type="checkbox" name="force" />
            Also when the last rotation is not over: the value before it stops now
          </label>
          <footer>
            <Button type="submit" busy={rotate.isPending}>
              Rotate
            </Button>
          </footer>
        </form>
      )}
    </Dialog>
  );
}
