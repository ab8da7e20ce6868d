// The user's access tokens: what acts for them outside the browser.
import { Ban, KeyRound, Plus, Terminal } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useApiPages, useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CredentialFilters, SEARCH_FOR_LESS, useCredentialFilters } from "../../parts/credential-filters.tsx";
import { Ends } from "../../parts/ends.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { isLimited } from "../../parts/limits.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { CreateToken } from "./create-token.tsx";
import { PageActions, useTabCounts } from "../../parts/page-title.tsx";

const STATES = ["active", "ending", "expired", "unused"] as const;

type Token = Output<"GET /v6/user/tokens">["tokens"][number];

function RevokeToken({ token, onClose }: { readonly token: Token; readonly onClose: () => void }): ReactNode {
  const revoke = useChange("DELETE /v3/user/tokens/:tokenId", onClose);
  const act = (): void => revoke.mutate({ params: { tokenId: token.id } });
  return (
    <Confirm
      title={`Revoke the token ${token.name}?`}
      what="The next request with it is refused."
      label="Revoke"
      change={revoke}
      onConfirm={act}
      onClose={onClose}
    />
  );
}

function TeamName({ teamId }: { readonly teamId: string }): ReactNode {
  const team = useApi("GET /v2/teams/:teamId", { params: { teamId } }).data?.value;
  return team?.name ?? team?.slug ?? <code>{teamId}</code>;
}

const COLUMNS: readonly Column<Token>[] = [
  {
    title: "Token",
    cell: (token) => (
      <RowName
        picture={
          <span className="avatar avatar-square">
            {token.origin === "app" ? <Terminal className="i i-s" /> : <KeyRound className="i i-s" />}
          </span>
        }
        below={
          <>
            <code>
              {token.prefix}…{token.suffix}
            </code>
            {isLimited(token) && (
              <>
                <br />
                {token.allows}
              </>
            )}
          </>
        }
      >
        <strong>{token.name}</strong>
        {token.origin === "app" && <span className="badge">Program</span>}
      </RowName>
    ),
  },
  {
    title: "Scope",
    cell: ({ teamId }) => (teamId === undefined ? "Everything" : <TeamName teamId={teamId} />),
    leaves: "narrow",
  },
  { title: "Last used", cell: ({ activeAt }) => <Time at={activeAt} />, leaves: "phone" },
  { title: "Ends", cell: ({ expiresAt }) => <Ends at={expiresAt} /> },
];

export function TokensPage(): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const { query, isNarrowed } = useCredentialFilters(STATES);
  const list = useApiPages("GET /v6/user/tokens", { query: { limit: 50, ...query } });
  const tokens = list.data?.pages.flatMap((page) => page.tokens) ?? [];
  const isBare = tokens.length === 0 && !isNarrowed && !list.isPending;
  useTabCounts(list.data && !list.hasNextPage && !isNarrowed ? { "Access tokens": tokens.length } : {});
  const create = (
    <Button onClick={() => setCreating(true)}>
      <Plus className="i" />
      New token
    </Button>
  );
  return (
    <>
      {!isBare && <PageActions>{create}</PageActions>}
      <p>They act as you. For programs without a person, use API keys of a team.</p>
      {!isBare && <CredentialFilters label="Search tokens" states={STATES} />}
      <DataTable
        label="Access tokens"
        list={list}
        rows={tokens}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={COLUMNS}
        actions={(token) => [{ label: "Revoke", icon: Ban, isDanger: true, onSelect: () => setRevoked(token) }]}
        empty={
          isNarrowed ? (
            <Empty title="No token matches" hint={SEARCH_FOR_LESS} />
          ) : (
            <Empty title="You have no access tokens" hint="A token lets a program or the command line act for you.">
              {create}
            </Empty>
          )
        }
      />
      {isCreating && <CreateToken onClose={() => setCreating(false)} />}
      {revoked && <RevokeToken token={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}
