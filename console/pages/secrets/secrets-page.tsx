// The secrets of a team: names, tags and ends; values are on the page of each.
import { FileCode, Lock, Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Output } from "../../api/endpoints.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { Table } from "../../parts/table.tsx";
import { Tags } from "../../parts/tags.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateSecret } from "./create-secret.tsx";
import { PageActions } from "../../parts/page-title.tsx";

type Secret = Output<"GET /v2/secrets">["secrets"][number];

function SecretRow({ secret }: { readonly secret: Secret }): ReactNode {
  const teamId = useTeamId();
  return (
    <tr>
      <th scope="row">
        <Link href={`/teams/${teamId}/secrets/${encodeURIComponent(secret.name)}`}>
          <code>{secret.name}</code>
        </Link>
        {!secret.decryptable && (
          <span className="badge">
            <Lock className="i" />
            Write-only
          </span>
        )}
        <span className="quiet">{secret.description}</span>
      </th>
      <td>
        <Tags of={secret.tags} />
      </td>
      <td>
        <Time at={secret.updatedAt} />
      </td>
      <td>{secret.expiresAt === null ? <span className="quiet">Never</span> : <Time at={secret.expiresAt} />}</td>
    </tr>
  );
}

function DeletedRow({ secret, why }: { readonly secret: Secret; readonly why: string | null }): ReactNode {
  const teamId = useTeamId();
  const restore = useChange("POST /v2/secrets/:name/restore");
  return (
    <tr>
      <th scope="row">
        <code>{secret.name}</code>
      </th>
      <td>{secret.deletedAt !== undefined && <Time at={secret.deletedAt} />}</td>
      <td>{secret.purgeAt !== undefined && <Time at={secret.purgeAt} />}</td>
      <td className="actions">
        <Button
          kind="plain"
          disabledBecause={why}
          busy={restore.isPending}
          onClick={() => restore.mutate({ params: { name: secret.uid }, query: { teamId } })}
        >
          Restore
        </Button>
        {restore.error && <Problem error={restore.error} />}
      </td>
    </tr>
  );
}

export function SecretsPage(): ReactNode {
  const teamId = useTeamId();
  const [view, setView] = useSearchValue("view");
  const [search, setSearch] = useSearchValue("search");
  const [isCreating, setCreating] = useState(false);
  const isBin = view === "bin";
  const why = useWhyNot("secret:write");
  const query = { teamId, limit: 50, ...(isBin ? { deleted: true } : chosen({ search })) };
  const list = useApiPages("GET /v2/secrets", { query });
  const secrets = list.data?.pages.flatMap((page) => page.secrets) ?? [];
  const create = (
    <Button disabledBecause={why} onClick={() => setCreating(true)}>
      <Plus className="i" />
      New secret
    </Button>
  );
  return (
    <>
      <PageActions>
        <Link className="button plain" href={`/teams/${teamId}/secrets-as-text`}>
          <FileCode className="i" />
          Edit as .env
        </Link>
        {!isBin && (secrets.length > 0 || search !== "") && create}
      </PageActions>
      <search className="tools">
        {!isBin && (secrets.length > 0 || search !== "") && (
          <>
            <SearchInput label="Search secrets" value={search} onChange={setSearch} />
          </>
        )}
        <Button kind="plain" onClick={() => setView(isBin ? "" : "bin")}>
          {isBin ? "Back to the secrets" : "Deleted secrets"}
        </Button>
      </search>
      <ApiList
        list={list}
        isEmpty={secrets.length === 0}
        empty={
          isBin ? (
            <Empty title="Nothing was deleted lately" hint="A deleted secret can be restored for seven days." />
          ) : search !== "" ? (
            <Empty title="No secret has such a name" hint="Names are searched, not values or tags." />
          ) : (
            <Empty
              title="The team has no secrets yet"
              hint="Keep here what applications need and nobody else may see: keys, passwords, tokens."
            >
              {create}
            </Empty>
          )
        }
      >
        {isBin ? (
          <Table columns={["Name", "Deleted", "Destroyed"]} actions="Actions">
            {secrets.map((secret) => (
              <DeletedRow key={secret.uid} secret={secret} why={why} />
            ))}
          </Table>
        ) : (
          <Table columns={["Name", "Tags", "Changed", "Ends"]}>
            {secrets.map((secret) => (
              <SecretRow key={secret.uid} secret={secret} />
            ))}
          </Table>
        )}
      </ApiList>
      {isCreating && <CreateSecret onClose={() => setCreating(false)} />}
    </>
  );
}
