// The team that is shown, above its pages, and the way to another one, or to a new one.
import { Check, ChevronsUpDown, Plus, Users } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { createPortal } from "react-dom";
import { Link } from "wouter";
import { ADDRESSES } from "./addresses.ts";
import { useApi } from "./api/queries.ts";
import { useTeam, useTeamId } from "./api/team.ts";
import { Avatar } from "./parts/avatar.tsx";
import { lazy } from "./parts/lazy-page.tsx";
import { Mark } from "./parts/mark.tsx";
import { Skeleton } from "./parts/placeholder.tsx";
import { Popup, stepFocus } from "./parts/popup.tsx";

const CreateTeam = lazy(async () => (await import("./pages/teams/create-team.tsx")).CreateTeam, null);
/** A list of teams gets a field to search it from so many on. */
const SEARCHED = 5;

/** Enter in the field leads to the first team that is shown. */
function goToFirst({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  if (key === "Enter") currentTarget.parentElement?.querySelector<HTMLElement>("li a")?.click();
}

function Teams({ here, onCreate }: { readonly here: string | undefined; readonly onCreate: () => void }): ReactNode {
  const [search, setSearch] = useState("");
  const list = useApi("GET /v2/teams", { query: { limit: 100 } });
  const teams = list.data?.value.teams ?? [];
  const shown = teams.filter(({ name, slug }) => `${name ?? ""} ${slug}`.toLowerCase().includes(search.toLowerCase()));
  const content = useRef<HTMLElement>(null);
  const { isPending } = list;
  useEffect(() => {
    if (!isPending && content.current) stepFocus(content.current, 1);
  }, [isPending]);
  if (isPending) return <Skeleton rows={3} />;
  return (
    <nav ref={content} aria-label="Teams">
      {teams.length >= SEARCHED && (
        <input
          type="search"
          aria-label="Find a team"
          placeholder="Find a team"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          // Nothing of it would be missed.
          onInput={(event) => event.stopPropagation()}
          onKeyDown={goToFirst}
        />
      )}
      <ul className="popup-list">
        {shown.map(({ id, name, slug }) => (
          <li key={id}>
            <Link href={`/teams/${slug}`}>
              <Avatar name={name ?? slug} isSquare />
              <span className="grow cut">{name ?? slug}</span>
              {(here === slug || here === id) && <Check className="i i-s" />}
            </Link>
          </li>
        ))}
      </ul>
      {shown.length === 0 && search !== "" && <p className="popup-label">No team matches</p>}
      <hr />
      <Link href={ADDRESSES.home}>
        <Users className="i" />
        All teams
      </Link>
      <button type="button" className="popup-item" onClick={onCreate}>
        <Plus className="i" />
        Create team
      </button>
    </nav>
  );
}

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
