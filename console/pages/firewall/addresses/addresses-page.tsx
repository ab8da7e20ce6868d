// Address entries: clients that are denied, challenged, logged or bypass the rules, before any rule.
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Menu } from "../../../parts/menu.tsx";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { Table } from "../../../parts/table.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { ActionBadge } from "../action-badge.tsx";
import { DraftBar } from "../draft-bar.tsx";
import { shownConfig, useConfigs, useStage } from "../firewall-config.ts";
import type { AddressEntry } from "../config-types.ts";
import { EditAddress } from "./edit-address.tsx";
import { PageActions } from "../../../parts/page-title.tsx";

function AddressRow({ entry, why }: { readonly entry: AddressEntry; readonly why: string | null }): ReactNode {
  const [isEditing, setEditing] = useState(false);
  const stage = useStage();
  const remove = (): void =>
    stage.mutate({
      change: { action: "ip.remove", id: entry.id },
      replaces: { find: ({ ips }) => ips.find(({ id }) => id === entry.id), known: entry },
    });
  return (
    <tr>
      <th scope="row">
        <code>{entry.ip}</code>
        <span className="quiet">{entry.notes}</span>
      </th>
      <td>{entry.hostname === "*" ? "every host" : entry.hostname}</td>
      <td>
        <ActionBadge action={entry.action} />
      </td>
      <td className="actions">
        <Menu
          label={`Actions for ${entry.ip}`}
          entries={[
            { label: "Edit", icon: Pencil, whyNot: why, onSelect: () => setEditing(true) },
            "line",
            { label: "Delete", icon: Trash2, isDanger: true, whyNot: why, onSelect: remove },
          ]}
        />
        {stage.error && <Problem error={stage.error} />}
        {isEditing && <EditAddress entry={entry} onClose={() => setEditing(false)} />}
      </td>
    </tr>
  );
}

export function AddressesPage(): ReactNode {
  const configs = useConfigs();
  const [wanted, setWanted] = useSearchValue("find");
  const [isAdding, setAdding] = useState(false);
  const why = useWhyNot("firewall:write");
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  if (!configs.data) return <Skeleton />;
  const entries = shownConfig(configs.data)?.ips ?? [];
  const found = entries.filter(({ ip, hostname, notes }) =>
    `${ip} ${hostname} ${notes ?? ""}`.toLowerCase().includes(wanted.toLowerCase()),
  );
  return (
    <>
      <PageActions>
        <Button disabledBecause={why} onClick={() => setAdding(true)}>
          <Plus className="i" />
          Add address
        </Button>
      </PageActions>
      <DraftBar configs={configs.data} why={why} />
      <p>
        Entries are tried before all rules; the smallest network that has the client’s address decides. A client with
        Bypass skips the rules.
      </p>
      <div className="tools">
        <input
          type="search"
          aria-label="Find an address"
          placeholder="Find an address"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
      </div>
      {found.length === 0 && (
        <Empty
          title={entries.length === 0 ? "No address has an entry" : "No entry has that in its address, host or notes"}
          hint="Deny or challenge a client or its network, or let your own bypass the rules."
        />
      )}
      {found.length > 0 && (
        <Table columns={["Address", "Host", "Action"]} actions="Actions">
          {found.map((entry) => (
            <AddressRow key={entry.id} entry={entry} why={why} />
          ))}
        </Table>
      )}
      {isAdding && <EditAddress entry={null} onClose={() => setAdding(false)} />}
    </>
  );
}
