// The teams that one is in, and a new one.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useApiPages } from "../../api/queries.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { PageActions } from "../../parts/page-title.tsx";
import { CreateTeam } from "./create-team.tsx";

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
