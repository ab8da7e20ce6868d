// A link that lets anyone who has it join the team.
import type { ReactNode } from "react";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { NewLink } from "./new-link.tsx";
import { ROLE_NAMES } from "../../parts/choices.ts";
import { Select } from "../../parts/select.tsx";

const DAY_MS = 86_400_000;

function endAfter(days: number): number {
  return Date.now() + days * DAY_MS;
}

export function CreateLink({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const create = useChange("POST /v1/teams/:teamId/invites");
  const submit = onSubmit((field) => {
    const email = field("email");
    create.mutate({
      params: { teamId },
      body: {
        role: field("role") as TeamRole,
        maxUses: field("maxUses") === "" ? null : Number(field("maxUses")),
        expiresAt: endAfter(Number(field("days"))),
        ...(email === "" ? {} : { email }),
      },
    });
  });
  const { error } = create;
  return (
    <FormDialog
      title="Create invite link"
      change={create}
      fields={["role", "maxUses", "expiresAt", "email"]}
      about={<p>A person who has the link joins the team with this role.</p>}
      done={create.data && <NewLink created={create.data} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Role" hint="What they may do in the team." problem={problemWith(error, "role")}>
        {(control) => <Select {...control} name="role" choices={ROLE_NAMES} defaultValue="MEMBER" />}
      </Field>
      <Field label="How many may join with it" hint="Empty: any number." problem={problemWith(error, "maxUses")}>
        {(control) => <input {...control} name="maxUses" type="number" min={1} max={1_000_000} defaultValue={1} />}
      </Field>
      <Field label="Days until it ends" hint="At most 365." problem={problemWith(error, "expiresAt")}>
        {(control) => <input {...control} name="days" type="number" min={1} max={365} defaultValue={7} required />}
      </Field>
      <Field
        label="Only for this address"
        hint="Empty: for every person who has the link."
        problem={problemWith(error, "email")}
      >
        {(control) => <input {...control} name="email" type="email" autoComplete="off" />}
      </Field>
    </FormDialog>
  );
}
