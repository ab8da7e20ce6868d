// The secrets of a team: names, tags and ends; values are on the page of each.
import { Clock, FileCode, KeyRound, Layers, Lock, Pencil, Plus, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Output } from "../../api/endpoints.ts";
import { usePeople } from "../../api/people.ts";
import { useApiPages, useNewest } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import type { ListState } from "../../parts/api-list.tsx";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { copyEntry } from "../../parts/copy.tsx";
import { Ends } from "../../parts/ends.tsx";
import { Menu } from "../../parts/menu.tsx";
import type { MenuEntry } from "../../parts/menu-entries.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { useSearchSort } from "../../parts/search-sort.ts";
import { SearchInput } from "../../parts/search-input.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { SearchFilter } from "../../parts/select.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column, Sort } from "../../parts/table.tsx";
import { Tags } from "../../parts/tags.tsx";
import { Time, useNow } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { BulkSecrets } from "./bulk-secrets.tsx";
import { ChangeSecret } from "./change-secret.tsx";
import { CreateSecret } from "./create-secret.tsx";
import { DeleteSecret } from "./delete-secret.tsx";
import { DeletedSecrets } from "./deleted-secrets.tsx";
import { NewValue } from "./new-value.tsx";
import { useProjectNames } from "../../parts/project.tsx";
import { PageActions, PageCount } from "../../parts/page-title.tsx";

type Secret = Output<"GET /v2/secrets">["secrets"][number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ENDS = { "0": "Has ended", "7": "Within 7 days", "30": "Within 30 days", "90": "Within 90 days" };

/** What the chips above the list narrow it to. */
function useFilters() {
  const [tag] = useSearchValue("tag");
  const [usedIn] = useSearchValue("usedIn");
  const [ends] = useSearchValue("ends");
  const now = useNow();
  // To the hour, so that the list is not read anew all the time.
  const until = Math.ceil(now / HOUR_MS) * HOUR_MS + Number(ends) * DAY_MS;
  return { ...chosen({ tag, usedIn }), ...(ends in ENDS && { expiresBefore: ends === "0" ? now : until }) };
}

function Filters({ secrets }: { readonly secrets: readonly Secret[] }): ReactNode {
  const mayRead = useMay("environment:read") === true;
  const projects = useProjectNames() ?? [];
  const tags = [...new Set(secrets.flatMap((secret) => secret.tags))].toSorted();
  return (
    <>
      <SearchFilter name="tag" label="Tag" icon={Tag} choices={tags} isFree />
      {mayRead && <SearchFilter name="usedIn" label="Used in" icon={Layers} choices={projects} isFree />}
      <SearchFilter name="ends" label="Ends" icon={Clock} choices={ENDS} />
    </>
  );
}

function columnsOf(teamId: string, people: Readonly<Record<string, string>>): readonly Column<Secret>[] {
  return [
    {
      title: "Name",
      sort: "name",
      cell: ({ name, decryptable, description }) => (
        <RowName below={description && <span className="when-narrow">{description}</span>}>
          <Link href={`/teams/${teamId}/secrets/${encodeURIComponent(name)}`}>
            <code>{name}</code>
          </Link>
          {!decryptable && (
            <span className="badge">
              <Lock className="i i-s" />
              Write-only
            </span>
          )}
          <span className="quiet narrow">{description}</span>
        </RowName>
      ),
    },
    { title: "Tags", cell: ({ tags }) => <Tags of={tags} />, leaves: "narrow" },
    { title: "Version", cell: ({ version }) => version, isNumber: true, leaves: "narrow" },
    {
      title: "Changed",
      cell: ({ updatedAt, updatedBy = "" }) => {
        const name = people[updatedBy];
        return (
          <span className="name">
            {name && <Avatar name={name} />} {name} <Time at={updatedAt} />
          </span>
        );
      },
      sort: "updatedAt",
      leaves: "narrow",
    },
    { title: "Ends", cell: ({ expiresAt }) => <Ends at={expiresAt} />, sort: "expiresAt" },
  ];
}

const SORTS = ["name", "updatedAt", "expiresAt"] as const;

function bulkOf(selected: readonly Secret[], clear: () => void): ReactNode {
  return <BulkSecrets secrets={selected} onDone={clear} />;
}

/** The form is about what is stored, with its version. */
function EditSecret({ secret, onClose }: { readonly secret: Secret; readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const found = useNewest("GET /v3/secrets/:name", { params: { name: secret.uid }, query: { teamId } });
  if (found.data) return <ChangeSecret found={found.data} onClose={onClose} />;
  return found.error && <Problem error={found.error} retry={() => void found.refetch()} />;
}

interface ListProps {
  readonly list: ListState;
  readonly secrets: readonly Secret[];
  readonly sort: Sort;
  readonly why: string | null;
  /** In place of rows. */
  readonly empty: ReactNode;
}

function SecretList({ list, secrets, sort, why, empty }: ListProps): ReactNode {
  const columns = columnsOf(useTeamId(), usePeople());
  const [open, setOpen] = useState<{ readonly act: "value" | "edit" | "delete"; readonly secret: Secret } | null>(null);
  const close = (): void => setOpen(null);
  // What others stored meanwhile counts.
  const opened = open && (secrets.find(({ uid }) => uid === open.secret.uid) ?? open.secret);
  const actionsOf = (secret: Secret): readonly MenuEntry[] => [
    { label: "New version", icon: Plus, whyNot: why, onSelect: () => setOpen({ act: "value", secret }) },
    "line",
    ...copyEntry("Copy name", secret.name),
    ...copyEntry("Copy id", secret.uid),
    { label: "Edit settings", icon: Pencil, whyNot: why, onSelect: () => setOpen({ act: "edit", secret }) },
    "line",
    { label: "Delete", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setOpen({ act: "delete", secret }) },
  ];
  return (
    <>
      <DataTable
        label="Secrets"
        list={list}
        rows={secrets}
        keyOf={({ uid }) => uid}
        nameOf={({ name }) => name}
        columns={columns}
        actions={actionsOf}
        sort={sort}
        bulk={why === null ? bulkOf : undefined}
        empty={empty}
      />
      {open?.act === "value" && opened && <NewValue secret={opened} onClose={close} />}
      {open?.act === "edit" && <EditSecret secret={open.secret} onClose={close} />}
      {open?.act === "delete" && <DeleteSecret secret={open.secret} onDone={close} onClose={close} />}
    </>
  );
}

export function SecretsPage(): ReactNode {
  const teamId = useTeamId();
  const [view, setView] = useSearchValue("view");
  const [search, setSearch] = useSearchValue("search");
  const [isCreating, setCreating] = useState(false);
  const [wanted, setWanted] = useSearchValue("new");
  const isBin = view === "bin";
  const why = useWhyNot("secret:write");
  const filters = useFilters();
  const { sort, query } = useSearchSort(SORTS);
  const list = useApiPages("GET /v2/secrets", {
    query: { teamId, limit: 50, ...chosen({ search }), ...filters, ...query },
  });
  const secrets = list.data?.pages.flatMap((page) => page.secrets) ?? [];
  const isNarrowed = search !== "" || Object.keys(filters).length > 0;
  const isBare = secrets.length === 0 && !isNarrowed;
  const create = (
    <Button disabledBecause={why} onClick={() => setCreating(true)}>
      <Plus className="i" />
      New secret
    </Button>
  );
  return (
    <>
      <PageActions>
        {isBin ? (
          <Button kind="plain" onClick={() => setView("")}>
            Back to the secrets
          </Button>
        ) : (
          <>
            <Link className="button plain" href={`/teams/${teamId}/secrets-as-text`}>
              <FileCode className="i" />
              Edit as .env
            </Link>
            {!isBare && create}
            <Menu
              label="More actions"
              entries={[{ label: "Deleted secrets", icon: Trash2, onSelect: () => setView("bin") }]}
            />
          </>
        )}
      </PageActions>
      {isBin ? (
        <DeletedSecrets />
      ) : (
        <>
          <PageCount list={list} count={secrets.length} />
          {!isBare && (
            <search className="tools">
              <SearchInput label="Search secrets" value={search} onChange={setSearch} />
              <Filters secrets={secrets} />
            </search>
          )}
          <SecretList
            why={why}
            list={list}
            secrets={secrets}
            sort={sort}
            empty={
              !isNarrowed ? (
                <Empty
                  title="The team has no secrets yet"
                  hint="Keep keys, passwords and tokens here. Applications read them by name, and every read is recorded."
                  icon={KeyRound}
                >
                  {create}
                </Empty>
              ) : (
                <Empty title="No secret matches" hint="Search for less, or clear a filter." />
              )
            }
          />
        </>
      )}
      {(isCreating || wanted !== "") && why === null && (
        <CreateSecret
          key={wanted}
          name={wanted}
          onClose={() => {
            setCreating(false);
            setWanted("");
          }}
        />
      )}
    </>
  );
}
