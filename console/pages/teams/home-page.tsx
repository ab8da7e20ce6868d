// The teams that one is in, and a new one.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useApiPages, useChange } from "../../api/queries.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { PageActions } from "../../parts/page-title.tsx";

function CreateTeam({ onClose }: { readonly onClose: () => void }): ReactNode {
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

export function HomePage(): ReactNode {
  const list = useApiPages("GET /v2/teams", { query: { limit: 100 } });
  const [isCreating, setCreating] = useState(false);
  const teams = list.data?.pages.flatMap((page) => page.teams) ?? [];
  const create = (
    <Button onClick={() => setCreating(true)}>
      <Plus className="i" />
      Create team
    </Button>
  );
  const empty = (
    <Empty title="You are in no team yet" hint="Create one, or open the link of an invitation.">
      {create}
    </Empty>
  );
  return (
    <>
      {teams.length > 0 && <PageActions>{create}</PageActions>}
      <ApiList list={list} isEmpty={teams.length === 0} empty={empty}>
        <ul className="cards">
          {teams.map((team) => (
            <li key={team.id}>
              <Link href={`/teams/${team.slug}`}>
                <strong>{team.name ?? team.slug}</strong>
                <code>{team.slug}</code>
              </Link>
              <span className="quiet">{team.membership?.role}</span>
            </li>
          ))}
        </ul>
      </ApiList>
      {isCreating && <CreateTeam onClose={() => setCreating(false)} />}
    </>
  );
}
