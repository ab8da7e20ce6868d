// Leaves the team. Its only Owner cannot, and reads why.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Member } from "../../api/objects.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId, useUser } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { RemoveDialog } from "../members/remove-dialog.tsx";

function whoStays([first, ...others]: readonly Member[]): string {
  const name = first?.name ?? first?.username;
  if (others.length === 0) return `${name} stays as its Owner`;
  return `${name} and ${others.length} ${others.length === 1 ? "other stay" : "others stay"} as its Owners`;
}

export function LeaveTeam({ isOwner }: { readonly isOwner: boolean }): ReactNode {
  const params = { teamId: useTeamId() };
  const [isOpen, setOpen] = useState(false);
  const self = useUser().data?.value.user;
  const query = { role: "OWNER" as const, limit: 100 };
  const owners = useApi("GET /v2/teams/:teamId/members", { params, query }, { enabled: isOwner }).data?.value.members;
  const others = owners?.filter(({ confirmed, uid }) => confirmed && uid !== self?.id);
  const why = others?.length === 0 ? "You are its only Owner: make somebody else one first" : null;
  return (
    <section className="panel">
      <header>
        <div className="grow">
          <h2>Leave team</h2>
          <p className="small">
            {why ?? (others ? whoStays(others) : "You lose the team at once, and need an invitation to come back")}.
          </p>
        </div>
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen(true)}>
          Leave team
        </Button>
      </header>
      {isOpen && self && (
        <RemoveDialog
          member={{ uid: self.id, username: self.username }}
          label="Leave team"
          isSelf
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}
