// One's teams in the sidebar, and the way to a new one.
import { Check, Plus, Users } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../addresses.ts";
import { useApi } from "../api/queries.ts";
import { Avatar } from "./avatar.tsx";
import { Skeleton } from "./placeholder.tsx";
import { stepFocus } from "./popup.tsx";

/** A list of teams gets a field to search it from so many on. */
const SEARCHED = 5;

/** Enter in the field leads to the first team that is shown. */
function goToFirst({ key, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  if (key === "Enter") currentTarget.parentElement?.querySelector<HTMLElement>("li a")?.click();
}

export function Teams({
  here,
  onCreate,
}: {
  readonly here: string | undefined;
  readonly onCreate: () => void;
}): ReactNode {
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
