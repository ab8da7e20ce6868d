// The accounts of the instance.
import { Pause, Pencil, Play, Trash2, UserPlus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useApiPages } from "../../api/queries.ts";
import { useUser } from "../../api/team.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import type { MenuEntry } from "../../parts/menu-entries.ts";
import { Empty } from "../../parts/placeholder.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { chosen, useSearchValue } from "../../parts/search-value.ts";
import { RowName } from "../../parts/row-name.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { ChangeAccount, DeleteAccount, SuspendAccount } from "./change-account.tsx";
import type { User } from "./change-account.tsx";
import { CreateAccount } from "./create-account.tsx";
import { PageActions, useTabCounts } from "../../parts/page-title.tsx";

interface Open {
  readonly Dialog: typeof ChangeAccount;
  readonly user: User;
}

function columnsFor(self: string | undefined): readonly Column<User>[] {
  return [
    {
      title: "Person",
      cell: ({ id, name, username, email, isAdmin, suspendedAt }) => (
        <RowName picture={<Avatar name={name ?? username} />} below={email}>
          <strong>{name ?? username}</strong>
          {id === self && <span className="badge">You</span>}
          {isAdmin && <span className="badge">Administrator</span>}
          {suspendedAt !== null && (
            <span className="badge warn">
              <Pause className="i i-s" />
              Suspended
            </span>
          )}
        </RowName>
      ),
    },
    { title: "Username", cell: ({ username }) => <code>{username}</code>, leaves: "narrow" },
    { title: "Since", cell: ({ createdAt }) => <Time at={createdAt} />, leaves: "phone" },
  ];
}

export function AccountsPage(): ReactNode {
  const [search, setSearch] = useSearchValue("search");
  const [isCreating, setCreating] = useState(false);
  const [open, setOpen] = useState<Open | null>(null);
  const self = useUser().data?.value.user.id;
  const list = useApiPages("GET /v1/users", { query: { limit: 50, ...chosen({ search }) } });
  const users = list.data?.pages.flatMap((page) => page.users) ?? [];
  useTabCounts(list.data && !list.hasNextPage && search === "" ? { Accounts: users.length } : {});
  const actionsOf = (user: User): readonly MenuEntry[] => {
    const whyNot = user.id === self ? "Not your own account: another administrator can do this" : null;
    const isSuspended = user.suspendedAt !== null;
    return [
      { label: "Change", icon: Pencil, onSelect: () => setOpen({ Dialog: ChangeAccount, user }) },
      {
        label: isSuspended ? "Resume" : "Suspend",
        icon: isSuspended ? Play : Pause,
        whyNot,
        onSelect: () => setOpen({ Dialog: SuspendAccount, user }),
      },
      "line",
      {
        label: "Delete",
        icon: Trash2,
        isDanger: true,
        whyNot,
        onSelect: () => setOpen({ Dialog: DeleteAccount, user }),
      },
    ];
  };
  return (
    <>
      <PageActions>
        <Button onClick={() => setCreating(true)}>
          <UserPlus className="i" />
          New account
        </Button>
      </PageActions>
      <search className="filters">
        <SearchInput label="Search name, username or e-mail" value={search} onChange={setSearch} />
      </search>
      <DataTable
        label="Accounts"
        list={list}
        rows={users}
        keyOf={({ id }) => id}
        nameOf={({ username }) => username}
        columns={columnsFor(self)}
        actions={actionsOf}
        empty={<Empty title="No account matches" hint="Search for less." />}
      />
      {open && <open.Dialog user={open.user} onClose={() => setOpen(null)} />}
      {isCreating && <CreateAccount onClose={() => setCreating(false)} />}
    </>
  );
}
