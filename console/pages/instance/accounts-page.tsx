// The accounts of the instance.
import { UserPlus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useApiPages } from "../../api/queries.ts";
import { useUser } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { ChangeAccount, DeleteAccount, SuspendAccount } from "./change-account.tsx";
import type { User } from "./change-account.tsx";
import { CreateAccount } from "./create-account.tsx";
import { PageActions } from "../../parts/page-title.tsx";

const DIALOGS = { change: ChangeAccount, suspend: SuspendAccount, delete: DeleteAccount };

function AccountRow({ user, isSelf }: { readonly user: User; readonly isSelf: boolean }): ReactNode {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const Opened = open && DIALOGS[open];
  const why = isSelf ? "Not your own account: another administrator can do this" : null;
  return (
    <tr>
      <th scope="row">
        <strong>{user.name ?? user.username}</strong>
        {isSelf && <span className="badge">you</span>}
        {user.isAdmin && <span className="badge">administrator</span>}
        {user.suspendedAt !== null && <span className="badge warn">suspended</span>}
        <span className="quiet">{user.email}</span>
      </th>
      <td>
        <code>{user.username}</code>
      </td>
      <td>
        <Time at={user.createdAt} />
      </td>
      <td className="actions">
        <Button kind="plain" onClick={() => setOpen("change")}>
          Change
        </Button>
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("suspend")}>
          {user.suspendedAt === null ? "Suspend" : "Resume"}
        </Button>
        <Button kind="danger" disabledBecause={why} onClick={() => setOpen("delete")}>
          Delete
        </Button>
        {Opened && <Opened user={user} onClose={() => setOpen(null)} />}
      </td>
    </tr>
  );
}

export function AccountsPage(): ReactNode {
  const [search, setSearch] = useSearchValue("search");
  const [isCreating, setCreating] = useState(false);
  const self = useUser().data?.value.user.id;
  const list = useApiPages("GET /v1/users", { query: { limit: 50, ...chosen({ search }) } });
  const users = list.data?.pages.flatMap((page) => page.users) ?? [];
  return (
    <>
      <PageActions>
        <Button onClick={() => setCreating(true)}>
          <UserPlus className="i" />
          New account
        </Button>
      </PageActions>
      <search className="tools">
        <SearchInput label="Name, username or e-mail" value={search} onChange={setSearch} />
      </search>
      <ApiList
        list={list}
        isEmpty={users.length === 0}
        empty={<Empty title="No account matches" hint="Search for less." />}
      >
        <Table columns={["Account", "Username", "Since"]} actions="Actions">
          {users.map((user) => (
            <AccountRow key={user.id} user={user} isSelf={user.id === self} />
          ))}
        </Table>
      </ApiList>
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </>
  );
}
