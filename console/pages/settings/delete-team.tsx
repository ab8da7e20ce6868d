// The end of a team, after its slug was typed and its OWNER has proved who they are.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import type { Team } from "../../api/objects.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";

export const WHAT =
  "Its secrets, firewalls, webhooks and API keys are deleted with it, at once and for good. Its events stay for its last Owners and for administrators.";

export function DeleteTeam({ team, why }: { readonly team: Team; readonly why: string | null }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const remove = useChange("DELETE /v1/teams/:teamId", () => navigate("/"));
  return (
    <section className="panel">
      <header>
        <div className="grow">
          <h2>Delete team</h2>
          <p className="small">{WHAT}</p>
        </div>
        <Button kind="danger" disabledBecause={why} onClick={() => setOpen(true)}>
          Delete team
        </Button>
      </header>
      {isOpen && (
        <Confirm
          title={`Delete ${team.name ?? team.slug}?`}
          what={WHAT}
          label="Delete team"
          word={team.slug}
          change={remove}
          onConfirm={() => remove.mutate({ params: { teamId: team.id } })}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}
