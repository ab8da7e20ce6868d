// The people of a team: members, the invited and those who ask to join.
import { Link as LinkIcon, LogOut, Shield, UserMinus, UserPlus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { roleName } from "../../../src/platform/kernel/roles.ts";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import type { Member } from "../../api/objects.ts";
import { useAsking } from "../../api/attention.ts";
import { call } from "../../api/call.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useMay, useTeamId, useUser } from "../../api/team.ts";
import { ListProblem } from "../../parts/api-list.tsx";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import type { MenuEntry } from "../../parts/menu-entries.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ROLE_NAMES } from "../../parts/choices.ts";
import { SearchFilter, Select } from "../../parts/select.tsx";
import { useUndoable } from "../../parts/toast.tsx";
import { useSearchSort } from "../../parts/search-sort.ts";
import { SearchInput } from "../../parts/search-input.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { Settled } from "../../parts/settled.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateLink } from "./create-link.tsx";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { Roles } from "./roles.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { PageActions, PageCount } from "../../parts/page-title.tsx";

/** The API knows the day alone, in UTC. */
const DAYS = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

const SORTS = ["name", "role", "createdAt"] as const;

function isAsking({ confirmed, accessRequestedAt }: Member): boolean {
  return !confirmed && accessRequestedAt !== undefined;
}

function stateOf(member: Member): string | null {
  if (member.confirmed) return null;
  return member.expired ? "Invitation has ended" : "Invited";
}

function RolePicker({ member, why }: { readonly member: Member; readonly why: string | null }): ReactNode {
  const teamId = useTeamId();
  const toast = useUndoable();
  const update = useChange("PATCH /v1/teams/:teamId/members/:uid", () =>
    toast(`The role of ${nameOf(member)} was changed`, () =>
      call("PATCH /v1/teams/:teamId/members/:uid", {
        params: { teamId, uid: member.uid },
        body: { role: member.role },
      }),
    ),
  );
  if (why !== null || !member.confirmed)
    return <span aria-description={why ?? undefined}>{roleName(member.role)}</span>;
  return (
    <>
      <Select
        aria-label={`Role: ${member.username}`}
        choices={ROLE_NAMES}
        value={member.role}
        busy={update.isPending}
        onChange={(role) => update.mutate({ params: { teamId, uid: member.uid }, body: { role } })}
      />
      {update.error && <Refusal error={update.error} retry={() => update.mutate(update.variables)} />}
    </>
  );
}

/** The name of the action that removes a person. */
function removalOf(member: Member, isSelf: boolean): string {
  if (isSelf) return "Leave";
  if (isAsking(member)) return "Decline";
  return member.confirmed ? "Remove" : "Withdraw";
}

function nameOf({ name, username }: Member): string {
  return name ?? username;
}

function columnsFor(self: string | undefined, why: string | null): readonly Column<Member>[] {
  return [
    {
      title: "Person",
      sort: "name",
      cell: (member) => {
        const state = stateOf(member);
        return (
          <RowName picture={<Avatar name={nameOf(member)} />} below={member.email !== nameOf(member) && member.email}>
            <strong>{nameOf(member)}</strong>
            {member.uid === self && <span className="badge">You</span>}
            {state && <span className="badge warn">{state}</span>}
          </RowName>
        );
      },
    },
    { title: "Role", cell: (member) => <RolePicker member={member} why={why} />, sort: "role" },
    {
      title: "Joined",
      cell: ({ confirmedAt, createdAt }) => <Time at={confirmedAt ?? createdAt} />,
      sort: "createdAt",
      leaves: "narrow",
    },
    {
      title: "Last active",
      cell: ({ activeAt }) => activeAt !== undefined && activeAt !== null && DAYS.format(activeAt),
      leaves: "narrow",
    },
  ];
}

/** Those who ask to join, above the others, with what can be answered. */
function Asking(props: {
  readonly members: readonly Member[];
  readonly whyNot: string | null;
  readonly onDecline: (member: Member) => void;
}): ReactNode {
  const { members, whyNot, onDecline } = props;
  const teamId = useTeamId();
  const accept = useChange("PATCH /v1/teams/:teamId/members/:uid");
  if (members.length === 0) return null;
  return (
    <section className="panel">
      <header>
        <h2>
          Asks to join <span className="count">{members.length}</span>
        </h2>
      </header>
      {accept.error && <Refusal error={accept.error} retry={() => accept.mutate(accept.variables)} />}
      <ul className="rows">
        {members.map((member) => (
          <li key={member.uid}>
            <Avatar name={nameOf(member)} />
            <span className="grow">
              <strong>{nameOf(member)}</strong>
              <span className="small">
                {member.email}
                {member.accessRequestedAt !== undefined && (
                  <>
                    , <Time at={member.accessRequestedAt} />
                  </>
                )}
              </span>
            </span>
            <span className="tools">
              <Button kind="ghost" disabledBecause={whyNot} onClick={() => onDecline(member)}>
                Decline
              </Button>
              <Button
                kind="plain"
                disabledBecause={whyNot}
                busy={accept.isPending}
                onClick={() => accept.mutate({ params: { teamId, uid: member.uid }, body: { confirmed: true } })}
              >
                Accept as {roleName(member.role)}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function MembersPage(): ReactNode {
  const teamId = useTeamId();
  const [search, setSearch] = useSearchValue("search");
  const [role] = useSearchValue("role");
  const [open, setOpen] = useState<"invite" | "link" | null>(null);
  const [wanted, setWanted] = useSearchValue("invite");
  const [removed, setRemoved] = useState<Member | null>(null);
  const close = (): void => {
    setOpen(null);
    if (wanted !== "") setWanted("");
  };
  const self = useUser().data?.value.user.id;
  const whyNotManage = useWhyNot("member:manage");
  const whyNotInvite = useWhyNot("invite:manage");
  // Others would only read that they may not.
  const maySeeInvitations = useMay("invite:read");
  const seesInvitations = maySeeInvitations === true;
  const { sort, query: order } = useSearchSort(SORTS);
  const query = { limit: 50, withActivity: true, ...chosen({ search, role: role as TeamRole }), ...order };
  const list = useApiPages("GET /v2/teams/:teamId/members", { params: { teamId }, query });
  const asking = useAsking();
  // They come together: those who ask are above the others.
  const isPending = list.isPending || asking.isPending;
  const members = (list.data?.pages.flatMap((page) => page.members) ?? []).filter((member) => !isAsking(member));
  const actionsOf = (member: Member): readonly MenuEntry[] => {
    const isSelf = member.uid === self;
    return [
      {
        label: removalOf(member, isSelf),
        icon: isSelf ? LogOut : UserMinus,
        isDanger: true,
        whyNot: isSelf ? null : whyNotManage,
        onSelect: () => setRemoved(member),
      },
    ];
  };
  return (
    <>
      <PageActions>
        {maySeeInvitations !== false && (
          <Button kind="plain" disabledBecause={whyNotInvite} onClick={() => setOpen("link")}>
            <LinkIcon className="i" />
            Create invite link
          </Button>
        )}
        <Button disabledBecause={whyNotManage} onClick={() => setOpen("invite")}>
          <UserPlus className="i" />
          Invite people
        </Button>
      </PageActions>
      <PageCount list={list} count={members.length} />
      <search className="filters">
        <SearchInput label="Search name or address" value={search} onChange={setSearch} />
        <SearchFilter name="role" label="Role" icon={Shield} choices={ROLE_NAMES} />
      </search>
      <div className="beside">
        <div>
          <ListProblem list={asking} />
          <Asking members={asking.data?.value.members ?? []} whyNot={whyNotManage} onDecline={setRemoved} />
          <DataTable
            label="Members"
            list={isPending ? { ...list, isPending } : list}
            rows={isPending ? [] : members}
            keyOf={({ uid }) => uid}
            nameOf={({ username }) => username}
            columns={columnsFor(self, whyNotManage)}
            actions={actionsOf}
            sort={sort}
            empty={<Empty title="Nobody matches" hint="Search for less, or for another role." />}
          />
          <Settled>{seesInvitations && <Invitations why={whyNotInvite} />}</Settled>
        </div>
        <Roles />
      </div>
      {(open === "invite" || wanted !== "") && whyNotManage === null && (
        <InviteDialog key={wanted} to={wanted} onClose={close} />
      )}
      {open === "link" && <CreateLink onClose={close} />}
      {removed && (
        <RemoveDialog
          member={removed}
          label={removalOf(removed, removed.uid === self)}
          isSelf={removed.uid === self}
          onClose={() => setRemoved(null)}
        />
      )}
    </>
  );
}
