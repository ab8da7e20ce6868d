// The API keys of a team: who may do what without being a person.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { isLimited } from "../../parts/limits.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateKey } from "./create-key.tsx";
import { DeleteKey } from "./delete-key.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { PageActions } from "../../parts/page-title.tsx";

type ApiKey = Output<"GET /v1/api-keys">["apiKeys"][number];

function Adopt({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const teamId = useTeamId();
  const adopt = useChange("POST /v1/api-keys/:keyId/adopt");
  const why = useMay("member:manage") === false ? "Only an OWNER may take keys over" : null;
  return (
    <>
      <Button
        kind="plain"
        disabledBecause={why}
        busy={adopt.isPending}
        onClick={() => adopt.mutate({ params: { keyId: apiKey.id }, query: { teamId } })}
      >
        Take over
      </Button>
      {adopt.error && <Problem error={adopt.error} />}
    </>
  );
}

function KeyRow({ apiKey, why }: { readonly apiKey: ApiKey; readonly why: string | null }): ReactNode {
  const [open, setOpen] = useState<"rotate" | "delete" | null>(null);
  const close = (): void => setOpen(null);
  return (
    <tr>
      <th scope="row">
        <strong>{apiKey.name}</strong>
        {apiKey.suspendedAt !== null && (
          <>
            <span className="badge bad">suspended</span>
            <span className="quiet">
              Whoever answered for it may no longer do what it may. An OWNER can take it over.
            </span>
          </>
        )}
        <span className="quiet">
          <code>
            {apiKey.prefix}…{apiKey.suffix}
          </code>
        </span>
        {isLimited(apiKey) && <span className="quiet">{apiKey.allows}</span>}
      </th>
      <td>{apiKey.role}</td>
      <td>
        <Time at={apiKey.activeAt} />
      </td>
      <td>{apiKey.expiresAt === null ? "never" : <Time at={apiKey.expiresAt} />}</td>
      <td className="actions">
        {apiKey.suspendedAt !== null && <Adopt apiKey={apiKey} />}
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("rotate")}>
          Rotate
        </Button>
        <Button kind="danger" disabledBecause={why} onClick={() => setOpen("delete")}>
          Delete
        </Button>
        {open === "rotate" && <RotateKey apiKey={apiKey} onClose={close} />}
        {open === "delete" && <DeleteKey apiKey={apiKey} onClose={close} />}
      </td>
    </tr>
  );
}

export function KeysPage(): ReactNode {
  const teamId = useTeamId();
  const [isCreating, setCreating] = useState(false);
  const why = useWhyNot("api-key:manage");
  const list = useApiPages("GET /v1/api-keys", { query: { teamId, limit: 50 } });
  const keys = list.data?.pages.flatMap((page) => page.apiKeys) ?? [];
  const create = (
    <Button disabledBecause={why} onClick={() => setCreating(true)}>
      <Plus className="i" />
      New API key
    </Button>
  );
  const empty = (
    <Empty
      title="The team has no API keys yet"
      hint="A key lets a program act for the team, with a role and an end of its own."
    >
      {create}
    </Empty>
  );
  return (
    <>
      {keys.length > 0 && <PageActions>{create}</PageActions>}
      <ApiList list={list} isEmpty={keys.length === 0} empty={empty}>
        <Table columns={["Key", "Role", "Last used", "Ends"]} actions="Actions">
          {keys.map((apiKey) => (
            <KeyRow key={apiKey.id} apiKey={apiKey} why={why} />
          ))}
        </Table>
      </ApiList>
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </>
  );
}
