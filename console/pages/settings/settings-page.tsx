// The settings of a team: its names, its join link, and how it is left and deleted.
import { useState } from "react";
import type { ReactNode } from "react";
import { useMay, useTeam } from "../../api/team.ts";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { DeleteTeam } from "./delete-team.tsx";
import { JoinLink } from "./join-link.tsx";
import { LeaveTeam } from "./leave-team.tsx";
import { TeamNames } from "./team-names.tsx";

export function SettingsPage(): ReactNode {
  const found = useTeam();
  // What is stored is shown anew after it was saved; until then nothing that is typed is replaced.
  const [edition, setEdition] = useState(0);
  const why = useWhyNot("team:update");
  const mayDelete = useMay("team:delete");
  const problem = found.error && <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return problem ?? <Skeleton />;
  const { value: team, etag } = found.data;
  const showStored = async (): Promise<void> => {
    await found.refetch();
    setEdition(edition + 1);
  };
  return (
    <div className="forms">
      {problem}
      <TeamNames key={edition} found={{ value: team, etag }} why={why} onStored={() => void showStored()} />
      <JoinLink team={team} why={why} onProved={() => void found.refetch()} />
      {team.membership && <LeaveTeam isOwner={team.membership.role === "OWNER"} />}
      <DeleteTeam team={team} why={mayDelete === false ? "Only an Owner may delete the team" : null} />
    </div>
  );
}
