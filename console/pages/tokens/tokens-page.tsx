// The user's access tokens: what acts for them outside the browser.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useApiPages, useChange } from "../../api/queries.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { isLimited } from "../../parts/limits.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { CreateToken } from "./create-token.tsx";
import { PageActions } from "../../parts/page-title.tsx";

type Token = Output<"GET /v6/user/tokens">["tokens"][number];

function RevokeToken({ token, onClose }: { readonly token: Token; readonly onClose: () => void }): ReactNode {
  const revoke = useChange("DELETE /v3/user/tokens/:tokenId");
  const act = (): void => revoke.mutate({ params: { tokenId: token.id } }, { onSuccess: onClose });
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

function TokenRow({ token }: { readonly token: Token }): ReactNode {
  const [isRevoking, setRevoking] = useState(false);
  return (
    <tr>
      <th scope="row">
        <strong>{token.name}</strong>
        {token.origin === "app" && <span className="badge">of a program</span>}
        <span className="quiet">
          <code>
            {token.prefix}…{token.suffix}
          </code>
        </span>
        {isLimited(token) && <span className="quiet">{token.allows}</span>}
      </th>
      <td>{token.teamId === undefined ? "everything" : <TeamName teamId={token.teamId} />}</td>
      <td>
        <Time at={token.activeAt} />
      </td>
      <td>{token.expiresAt === undefined ? "never" : <Time at={token.expiresAt} />}</td>
      <td className="actions">
        <Button kind="danger" onClick={() => setRevoking(true)}>
          Revoke
        </Button>
        {isRevoking && <RevokeToken token={token} onClose={() => setRevoking(false)} />}
      </td>
    </tr>
  );
}

export function TokensPage(): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const list = useApiPages("GET /v6/user/tokens", { query: { limit: 50 } });
  const tokens = list.data?.pages.flatMap((page) => page.tokens) ?? [];
  const create = (
    <Button onClick={() => setCreating(true)}>
      <Plus className="i" />
      New token
    </Button>
  );
  const empty = (
    <Empty title="You have no access tokens" hint="A token lets a program or the command line act for you.">
      {create}
    </Empty>
  );
  return (
    <>
      {tokens.length > 0 && <PageActions>{create}</PageActions>}
      <ApiList list={list} isEmpty={tokens.length === 0} empty={empty}>
        <Table columns={["Token", "Scope", "Last used", "Ends"]} actions="Actions">
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} />
          ))}
        </Table>
      </ApiList>
      {isCreating && <CreateToken onClose={() => setCreating(false)} />}
    </>
  );
}
