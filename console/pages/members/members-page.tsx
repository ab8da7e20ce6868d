// The people of a team: members, the invited and those who ask to join.
import { UserPlus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { TEAM_ROLES } from "../../../src/platform/kernel/roles.ts";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import type { Member } from "../../api/objects.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useTeamId, useUser } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { RoleChoice } from "../../parts/role-choice.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { useWhyNot } from "../../parts/why-not.ts";
import { Invitations } from "./invitations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { RoleTable } from "./role-table.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { PageActions } from "../../parts/page-title.tsx";

function stateOf(member: Member): string | null {
  if (member.confirmed) return null;
  if (member.accessRequestedAt !== undefined) return "asks to join";
  return member.expired ? "invitation has ended" : "invited";
}

function RolePicker({ member, why }: { readonly member: Member; readonly why: string | null }): ReactNode {
  const teamId = useTeamId();
  const update = useChange("PATCH /v1/teams/:teamId/members/:uid");
  if (why !== null || !member.confirmed) return <span title={why ?? undefined}>{member.role}</span>;
  return (
    <>
      <RoleChoice
        aria-label={`Role: ${member.username}`}
        role={member.role}
        roles={TEAM_ROLES}
        busy={update.isPending}
        onChoose={(role) => update.mutate({ params: { teamId, uid: member.uid }, body: { role } })}
      />
      {update.error && <Problem error={update.error} />}
    </>
  );
}

function Actions({
  member,
  why,
  isSelf,
}: {
  readonly member: Member;
  readonly why: string | null;
  readonly isSelf: boolean;
}): ReactNode {
  const teamId = useTeamId();
  const confirm = useChange("PATCH /v1/teams/:teamId/members/:uid");
  const [isRemoving, setRemoving] = useState(false);
  const asks = stateOf(member) === "asks to join";
  const remove = isSelf ? "Leave" : asks ? "Decline" : member.confirmed ? "Remove" : "Withdraw";
  return (
    <>
      {asks && (
        <Button
          kind="plain"
          disabledBecause={why}
          busy={confirm.isPending}
          onClick={() => confirm.mutate({ params: { teamId, uid: member.uid }, body: { confirmed: true } })}
        >
          Accept
        </Button>
      )}
      <Button kind="danger" disabledBecause={isSelf ? null : why} onClick={() => setRemoving(true)}>
        {remove}
      </Button>
      {confirm.error && <Problem error={confirm.error} />}
      {isRemoving && <RemoveDialog member={member} label={remove} isSelf={isSelf} onClose={() => setRemoving(false)} />}
    </>
  );
}

function MemberRow({
  member,
  why,
  isSelf,
}: {
  readonly member: Member;
  readonly why: string | null;
  readonly isSelf: boolean;
}): ReactNode {
  const state = stateOf(member);
  return (
    <tr>
      <th scope="row">
        <strong>{member.name ?? member.username}</strong>
        {isSelf && <span className="badge">you</span>}
        {state && <span className="badge warn">{state}</span>}
        <span className="quiet">{member.email}</span>
      </th>
      <td>
        <RolePicker member={member} why={why} />
      </td>
      <td>
        <Time at={member.confirmedAt ?? member.createdAt} />
      </td>
      <td className="actions">
        <Actions member={member} why={why} isSelf={isSelf} />
      </td>
    </tr>
  );
}

export function MembersPage(): ReactNode {
  const teamId = useTeamId();
  const [search, setSearch] = useSearchValue("search");
  const [role, setRole] = useSearchValue("role");
  const [isInviting, setInviting] = useState(false);
  const self = useUser().data?.value.user.id;
  const whyNotManage = useWhyNot("member:manage");
  const query = { limit: 50, ...chosen({ search, role: role as TeamRole }) };
  const list = useApiPages("GET /v2/teams/:teamId/members", { params: { teamId }, query });
  const members = list.data?.pages.flatMap((page) => page.members) ?? [];
  return (
    <>
      <PageActions>
        <Button disabledBecause={whyNotManage} onClick={() => setInviting(true)}>
          <UserPlus className="i" />
          Invite people
        </Button>
      </PageActions>
      <search className="tools">
        <SearchInput label="Name, username or e-mail" value={search} onChange={setSearch} />
        <select aria-label="Role" value={role} onChange={(event) => setRole(event.target.value)}>
          <option value="">Every role</option>
          {TEAM_ROLES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </search>
      <ApiList
        list={list}
        isEmpty={members.length === 0}
        empty={<Empty title="Nobody matches" hint="Search for less, or for another role." />}
      >
        <Table columns={["Person", "Role", "Since"]} actions="Actions">
          {members.map((member) => (
            <MemberRow key={member.uid} member={member} why={whyNotManage} isSelf={member.uid === self} />
          ))}
        </Table>
      </ApiList>
      <Invitations />
      <RoleTable />
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </>
  );
}
