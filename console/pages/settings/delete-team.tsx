// The end of a team, after its slug was typed and its OWNER has proved who they are.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import type { Team } from "../../api/objects.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.settings;

function Confirm({ team, onClose }: { readonly team: Team; readonly onClose: () => void }): ReactNode {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState("");
  const remove = useChange("DELETE /v1/teams/:teamId", () => navigate("/"));
  const act = (): void => remove.mutate({ params: { teamId: team.id } });
  const why = typed === team.slug ? null : fill(T.typeSlug, { slug: team.slug });
  return (
    <Dialog title={fill(T.deleteTitle, { name: team.name ?? team.slug })} onClose={onClose}>
      <p>{T.deleteWhat}</p>
      <form onSubmit={onSubmit(act)}>
        {remove.error && <Refusal error={remove.error} retry={act} />}
        <Field label={fill(T.typeSlug, { slug: team.slug })}>
          {(control) => (
            <input
              {...control}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <footer>
          <Button type="submit" kind="danger" disabledBecause={why} busy={remove.isPending}>
            {T.delete}
          </Button>
          <Button kind="plain" onClick={onClose}>
            {TEXTS.dialog.cancel}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

export function DeleteTeam({ team, why }: { readonly team: Team; readonly why: string | null }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="panel">
      <h2>{T.end}</h2>
      <p>{T.deleteWhat}</p>
      <Button kind="danger" disabledBecause={why} onClick={() => setOpen(true)}>
        {T.delete}
      </Button>
      {isOpen && <Confirm team={team} onClose={() => setOpen(false)} />}
    </section>
  );
}
