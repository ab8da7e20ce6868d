// The API keys of a team: who may do what without being a person.
import { CircleAlert, Pause, Plus, RefreshCw, Shield, Trash2, UserRound, UserRoundCheck } from "lucide-react";
import { TEAM_ROLES, roleName } from "../../../src/platform/kernel/roles.ts";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { usePeople } from "../../api/people.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { ROLE_NAMES } from "../../parts/choices.ts";
import { copyEntry } from "../../parts/copy.tsx";
import { CredentialFilters, SEARCH_FOR_LESS, useCredentialFilters } from "../../parts/credential-filters.tsx";
import { Ends } from "../../parts/ends.tsx";
import type { MenuEntry } from "../../parts/menu-entries.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { SearchFilter } from "../../parts/select.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateKey } from "./create-key.tsx";
import { DeleteKey } from "./delete-key.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { PageActions, PageCount } from "../../parts/page-title.tsx";

const STATES = ["active", "ending", "expired", "unused", "suspended"] as const;

type ApiKey = Output<"GET /v1/api-keys">["apiKeys"][number];

/** Says above the list which key is suspended, and gives it somebody who answers for it. */
function Suspended({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const teamId = useTeamId();
  const adopt = useChange("POST /v1/api-keys/:keyId/adopt");
  const why = useMay("member:manage") === false ? "Only an Owner may take keys over" : null;
  return (
    <div className="notice bad">
      <CircleAlert className="i" />
      <p className="grow">
        <strong>{apiKey.name} is suspended.</strong> Its responsible person may no longer do what it may.
      </p>
      <Button
        kind="plain"
        disabledBecause={why}
        busy={adopt.isPending}
        onClick={() => adopt.mutate({ params: { keyId: apiKey.id }, query: { teamId } })}
      >
        <UserRoundCheck className="i" />
        Take over
      </Button>
      {adopt.error && <Problem error={adopt.error} />}
    </div>
  );
}

/** Without what the columns say, and what is so by default. */
function whatItMay({ allows }: ApiKey): string {
  const sentences = allows.split(/(?<=\.) /);
  return sentences.filter((one) => !/^It (?:works from any address|ends on|has no end)/.test(one)).join(" ");
}

type People = Readonly<Record<string, string>>;

const columnsOf = (people: People): readonly Column<ApiKey>[] => [
  {
    title: "Key",
    cell: (apiKey) => (
      <RowName below={whatItMay(apiKey)}>
        <strong>{apiKey.name}</strong>
        <code className="quiet">
          {apiKey.prefix}…{apiKey.suffix}
        </code>
        {apiKey.suspendedAt !== null && (
          <span className="badge bad">
            <Pause className="i i-s" />
            Suspended
          </span>
        )}
      </RowName>
    ),
  },
  { title: "Role", cell: ({ role }) => roleName(role), leaves: "narrow" },
  {
    title: "Responsible",
    leaves: "narrow",
    cell({ responsibleId }) {
      const name = people[responsibleId ?? ""];
      return name !== undefined && <RowName picture={<Avatar name={name} />}>{name}</RowName>;
    },
  },
  { title: "Last used", cell: ({ activeAt }) => <Time at={activeAt} />, leaves: "phone" },
  { title: "Ends", cell: ({ expiresAt }) => <Ends at={expiresAt} /> },
];

export function KeysPage(): ReactNode {
  const teamId = useTeamId();
  const [isCreating, setCreating] = useState(false);
  const [open, setOpen] = useState<{ readonly act: "rotate" | "delete"; readonly apiKey: ApiKey } | null>(null);
  const close = (): void => setOpen(null);
  const why = useWhyNot("api-key:manage");
  const filters = useCredentialFilters(STATES);
  const [wantedRole] = useSearchValue("role");
  const [responsibleId] = useSearchValue("responsible");
  const role = TEAM_ROLES.find((one) => one === wantedRole);
  const isNarrowed = filters.isNarrowed || role !== undefined || responsibleId !== "";
  const list = useApiPages("GET /v1/api-keys", {
    query: { teamId, limit: 50, ...filters.query, ...chosen({ responsibleId }), ...(role && { role }) },
  });
  const people = usePeople();
  const keys = list.data?.pages.flatMap((page) => page.apiKeys) ?? [];
  const isBare = keys.length === 0 && !isNarrowed && !list.isPending;
  const create = (
    <Button disabledBecause={why} onClick={() => setCreating(true)}>
      <Plus className="i" />
      New API key
    </Button>
  );
  const actionsOf = (apiKey: ApiKey): readonly MenuEntry[] => [
    { label: "Rotate", icon: RefreshCw, whyNot: why, onSelect: () => setOpen({ act: "rotate", apiKey }) },
    ...copyEntry("Copy id", apiKey.id),
    "line",
    { label: "Delete", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setOpen({ act: "delete", apiKey }) },
  ];
  return (
    <>
      {!isBare && <PageActions>{create}</PageActions>}
      <PageCount list={list} count={keys.length} />
      {keys
        .filter(({ suspendedAt }) => suspendedAt !== null)
        .map((apiKey) => (
          <Suspended key={apiKey.id} apiKey={apiKey} />
        ))}
      {!isBare && (
        <CredentialFilters label="Search API keys" states={STATES}>
          <SearchFilter name="role" label="Role" icon={Shield} choices={ROLE_NAMES} />
          <SearchFilter name="responsible" label="Responsible" icon={UserRound} choices={people} />
        </CredentialFilters>
      )}
      <DataTable
        label="API keys"
        list={list}
        rows={keys}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={columnsOf(people)}
        actions={actionsOf}
        empty={
          isNarrowed ? (
            <Empty title="No API key matches" hint={SEARCH_FOR_LESS} />
          ) : (
            <Empty
              title="The team has no API keys yet"
              hint="A key lets a program act for the team, with a role and an end of its own."
            >
              {create}
            </Empty>
          )
        }
      />
      {open?.act === "rotate" && <RotateKey apiKey={open.apiKey} onClose={close} />}
      {open?.act === "delete" && <DeleteKey apiKey={open.apiKey} onClose={close} />}
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </>
  );
}
