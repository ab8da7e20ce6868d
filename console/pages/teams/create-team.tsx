// Makes a team, and leads to it.
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";

export function CreateTeam({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [, navigate] = useLocation();
  const create = useChange("POST /v1/teams", ({ slug }) => navigate(`/teams/${slug}`));
  const submit = onSubmit((field) => {
    const name = field("name");
    create.mutate({ body: { slug: field("slug"), ...(name === "" ? {} : { name }) } });
  });
  return (
    <FormDialog title="Create team" change={create} fields={["slug", "name"]} onSubmit={submit} onClose={onClose}>
      <Field
        label="Slug"
        hint="The team's name in addresses: lower-case letters, digits and hyphens."
        problem={problemWith(create.error, "slug")}
      >
        {(control) => <input {...control} name="slug" required autoComplete="off" spellCheck={false} />}
      </Field>
      <Field label="Name" hint="Optional. Without one, the slug is shown." problem={problemWith(create.error, "name")}>
        {(control) => <input {...control} name="name" autoComplete="off" />}
      </Field>
    </FormDialog>
  );
}
