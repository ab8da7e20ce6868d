// The team that is shown, above its pages, and the way to another one, or to a new one.
import { ChevronsUpDown } from "lucide-react";
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { useTeam, useTeamId } from "./api/team.ts";
import { lazy } from "./parts/lazy-page.tsx";
import { Mark } from "./parts/mark.tsx";
import { Skeleton } from "./parts/placeholder.tsx";
import { Popup } from "./parts/popup.tsx";

const CreateTeam = lazy(async () => (await import("./pages/teams/create-team.tsx")).CreateTeam, null);
const Teams = lazy(async () => (await import("./parts/team-list.tsx")).Teams, <Skeleton rows={3} />);

export function TeamSwitcher({ isTeamPage }: { readonly isTeamPage: boolean }): ReactNode {
  const popup = useId();
  const id = useTeamId();
  const team = useTeam().data?.value;
  const name = isTeamPage ? (team?.name ?? team?.slug ?? id) : "Reeve";
  const [isCreating, setCreating] = useState(false);
  const create = (): void => {
    // Its button gets the focus back, which the dialog then gives back to it.
    document.getElementById(popup)?.hidePopover();
    setCreating(true);
  };
  return (
    <>
      <button type="button" className="team" popoverTarget={popup}>
        <Mark />
        <span className="hidden">Team: </span>
        <span className="team-name cut">{name}</span>
        <ChevronsUpDown className="i i-s" />
      </button>
      <Popup id={popup} className="popup switcher">
        <Teams here={isTeamPage ? id : undefined} onCreate={create} />
      </Popup>
      {/* On phones the sidebar is gone while a dialog is open. */}
      {isCreating && createPortal(<CreateTeam onClose={() => setCreating(false)} />, document.body)}
    </>
  );
}
