// A new access token, for everything or for one team; its value is shown once.
import type { ReactNode } from "react";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { LIMIT_FIELDS, LimitFields, LimitWords, endOf, limitsOf, useWords } from "../../parts/limits.tsx";
import { PermissionChoice } from "../../parts/permission-choice.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { Select } from "../../parts/select.tsx";

/** A token may have each permission that there is; what its user may bounds it too. */
const ROLE_OF_ALL: TeamRole = "OWNER";

function ScopeField(): ReactNode {
  const list = useApiPages("GET /v2/teams", { query: { limit: 100 } });
  const teams = list.data?.pages.flatMap((page) => page.teams) ?? [];
  return (
    <>
      {list.error && <Problem error={list.error} />}
      <Field label="Scope" hint="Everywhere, or in this team alone. With limits, everything is your account.">
        {(control) => (
          <Select
            {...control}
            name="teamId"
            choices={[["", "everything"], ...teams.map(({ id, name, slug }) => [id, name ?? slug] as const)]}
          />
        )}
      </Field>
      {list.hasNextPage && (
        <Button kind="plain" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          List more teams
        </Button>
      )}
    </>
  );
}

export function CreateToken({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useChange("POST /v3/user/tokens");
  const { words, onChange } = useWords({ days: "90" });
  const submit = onSubmit((field) => {
    const teamId = field("teamId");
    create.mutate({
      query: teamId === "" ? {} : { teamId },
      body: { name: field("name"), ...limitsOf(field), ...endOf(field) },
    });
  });
  if (create.data?.bearerToken !== undefined) {
    return (
      <Dialog title="The token is created" onClose={onClose}>
        <ShownOnce label="Token" value={create.data.bearerToken} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="New token"
      change={create}
      fields={["name", "expiresAt", ...LIMIT_FIELDS]}
      onSubmit={submit}
      onChange={onChange}
      onClose={onClose}
    >
      <Field
        label="Name"
        hint="What it is for, such as the machine or the program that uses it."
        problem={problemWith(create.error, "name")}
      >
        {(control) => <input {...control} name="name" required maxLength={256} autoFocus autoComplete="off" />}
      </Field>
      <ScopeField />
      <PermissionChoice
        role={ROLE_OF_ALL}
        everything="Everything that you may"
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
