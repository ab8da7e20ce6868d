// The end of a team, after its slug was typed and its OWNER has proved who they are.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import type { Team } from "../../api/objects.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.settings;

export function DeleteTeam({ team, why }: { readonly team: Team; readonly why: string | null }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const remove = useChange("DELETE /v1/teams/:teamId", () => navigate("/"));
  return (
    <section className="panel">
      <h2>{T.end}</h2>
      <p>{T.deleteWhat}</p>
      <Button kind="danger" disabledBecause={why} onClick={() => setOpen(true)}>
        {T.delete}
      </Button>
      {isOpen && (
        <Confirm
          title={fill(T.deleteTitle, { name: team.name ?? team.slug })}
          what={T.deleteWhat}
          label={T.delete}
          word={team.slug}
          change={remove}
          onConfirm={() => remove.mutate({ params: { teamId: team.id } })}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}
