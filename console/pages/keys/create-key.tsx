// A new API key; its value is shown once.
import { useState } from "react";
import type { ReactNode } from "react";
import { TEAM_ROLES } from "../../../src/kernel/roles.ts";
import type { TeamRole } from "../../../src/kernel/roles.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { TEXTS } from "../../texts.ts";
import { PermissionChoice, permissionsOf } from "./permission-choice.tsx";

const T = TEXTS.keys;
const DAY_MS = 86_400_000;

function endAfter(days: number): number {
  return Date.now() + days * DAY_MS;
}

export function CreateKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const [role, setRole] = useState<TeamRole>("VIEWER");
  const create = useChange("POST /v1/api-keys");
  const submit = onSubmit((field) => {
    const days = Number(field("days"));
    create.mutate({
      query: { teamId },
      body: {
        name: field("name"),
        role,
        ...permissionsOf(field),
        allowedCidrs: field("networks")
          .split(/[\s,]+/)
          .filter(Boolean),
        ...(days > 0 ? { expiresAt: endAfter(days) } : {}),
      },
    });
  });
  const other = otherProblem(create.error, ["name", "role", "permissions", "expiresAt", "allowedCidrs"]);
  const retry = (): void => {
    if (create.variables) create.mutate(create.variables);
  };
  if (create.data) {
    return (
      <Dialog title={T.created} onClose={onClose}>
        <ShownOnce label={T.key} value={create.data.value} />
      </Dialog>
    );
  }
  return (
    <Dialog title={T.create} onClose={onClose}>
      <form onSubmit={submit}>
        {other && <Refusal error={other} retry={retry} />}
        <Field label={T.name} hint={T.nameHint} problem={problemWith(create.error, "name")}>
          {(control) => <input {...control} name="name" required autoComplete="off" />}
        </Field>
        <Field label={T.role} hint={T.roleHint} problem={problemWith(create.error, "role")}>
          {(control) => (
            <select {...control} name="role" value={role} onChange={({ target }) => setRole(target.value as TeamRole)}>
              {TEAM_ROLES.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
        <PermissionChoice role={role} onRole={setRole} problem={problemWith(create.error, "permissions")} />
        <Field label={T.days} hint={T.daysHint} problem={problemWith(create.error, "expiresAt")}>
          {(control) => <input {...control} name="days" type="number" min={0} defaultValue={90} required />}
        </Field>
        <Field label={T.networks} hint={T.networksHint} problem={problemWith(create.error, "allowedCidrs")}>
          {(control) => <input {...control} name="networks" autoComplete="off" spellCheck={false} />}
        </Field>
        <footer>
          <Button type="submit" busy={create.isPending}>
            {T.create}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
