// A new API key; its value is shown once.
import { useState } from "react";
import type { ReactNode } from "react";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { LIMIT_FIELDS, LimitFields, LimitWords, endOf, limitsOf, useWords } from "../../parts/limits.tsx";
import { PermissionChoice } from "../../parts/permission-choice.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { ROLE_NAMES } from "../../parts/choices.ts";
import { Select } from "../../parts/select.tsx";

export function CreateKey({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const [role, setRole] = useState<TeamRole>("VIEWER");
  const create = useChange("POST /v1/api-keys");
  const { words, onChange } = useWords({ role: "VIEWER", days: "90" });
  const submit = onSubmit((field) => {
    create.mutate({ query: { teamId }, body: { name: field("name"), role, ...limitsOf(field), ...endOf(field) } });
  });
  if (create.data?.value !== undefined) {
    return (
      <Dialog title="The key is created" onClose={onClose}>
        <ShownOnce label="Key" value={create.data.value} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="New API key"
      change={create}
      fields={["name", "role", "expiresAt", ...LIMIT_FIELDS]}
      onSubmit={submit}
      onChange={onChange}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="What it is for, such as the program that uses it."
        problem={problemWith(create.error, "name")}
      >
        {(control) => <input {...control} name="name" required autoComplete="off" />}
      </Field>
      <Field
        label="Role"
        hint="The most that it may do; no more than you may."
        problem={problemWith(create.error, "role")}
      >
        {(control) => <Select {...control} name="role" choices={ROLE_NAMES} value={role} onChange={setRole} />}
      </Field>
      <PermissionChoice
        role={role}
        onRole={setRole}
        everything="Everything its role may"
        problem={problemWith(create.error, "permissions")}
      />
      <Field
        label="Days until it ends"
        hint="0: it does not end by itself."
        problem={problemWith(create.error, "expiresAt")}
      >
        {(control) => <input {...control} name="days" type="number" min={0} defaultValue={90} required />}
      </Field>
      <LimitFields error={create.error} />
      <LimitWords words={words} />
    </FormDialog>
  );
}
