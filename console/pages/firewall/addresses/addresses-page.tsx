// Address entries: clients that are denied, challenged, logged or bypass the rules, before any rule.
import { Globe, ListFilter, Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { ADDRESSES } from "../../../addresses.ts";
import { useTeamId } from "../../../api/team.ts";
import { Button } from "../../../parts/button.tsx";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { projectHref, useProject } from "../../../parts/project.tsx";
import { RowName } from "../../../parts/row-name.tsx";
import { SearchInput } from "../../../parts/search-input.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { SearchFilter } from "../../../parts/select.tsx";
import { DataTable } from "../../../parts/table.tsx";
import type { Column } from "../../../parts/table.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { ActionBadge } from "../action-badge.tsx";
import { DraftBar } from "../draft-bar.tsx";
import { shownConfig, useConfigs, useStage } from "../firewall-config.ts";
import type { AddressEntry } from "../config-types.ts";
import { Hits, useHits } from "../rules/hits.tsx";
import { ACTION_NAMES } from "../action-words.ts";
import { ADDRESS_ACTIONS, EditAddress } from "./edit-address.tsx";
import { PageActions } from "../../../parts/page-title.tsx";

const hostOf = (hostname: string): string => (hostname === "*" ? "All hosts" : hostname);

const COLUMNS: readonly Column<AddressEntry>[] = [
  {
    title: "Address",
    cell: ({ ip, notes }) => (
      <RowName below={notes}>
        <code>{ip}</code>
      </RowName>
    ),
  },
  { title: "Action", cell: ({ action }) => <ActionBadge action={action} /> },
  { title: "Host", leaves: "phone", cell: ({ hostname }) => hostOf(hostname) },
];

export function AddressesPage(): ReactNode {
  const configs = useConfigs();
  const [wanted, setWanted] = useSearchValue("find");
  const [action] = useSearchValue("action");
  const [host] = useSearchValue("host");
  /** Null: a new one. */
  const [edited, setEdited] = useState<AddressEntry | null>();
  const stage = useStage();
  const why = useWhyNot("firewall:write");
  const hits = useHits();
  const teamId = useTeamId();
  const [projectId] = useProject();
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  if (!configs.data) return <Skeleton />;
  const entries = shownConfig(configs.data)?.ips ?? [];
  const found = entries.filter(
    (entry) =>
      `${entry.ip} ${entry.notes ?? ""}`.toLowerCase().includes(wanted.toLowerCase()) &&
      (action === "" || entry.action === action) &&
      (host === "" || entry.hostname === host),
  );
  const remove = (entry: AddressEntry): void =>
    stage.mutate({
      change: { action: "ip.remove", id: entry.id },
      replaces: { find: ({ ips }) => ips.find(({ id }) => id === entry.id), known: entry },
      done: { text: `${entry.ip} was deleted from the draft`, undo: { change: { action: "ip.insert", value: entry } } },
    });
  return (
    <>
      <PageActions>
        <Button disabledBecause={why} onClick={() => setEdited(null)}>
          <Plus className="i" />
          New address
        </Button>
      </PageActions>
      <DraftBar configs={configs.data} why={why} />
      <search className="filters">
        <SearchInput label="Search address or note" value={wanted} onChange={setWanted} />
        <SearchFilter
          name="action"
          label="Action"
          icon={ListFilter}
          choices={ADDRESS_ACTIONS.map((one) => [one, ACTION_NAMES[one]] as const)}
        />
        <SearchFilter
          name="host"
          label="Host"
          icon={Globe}
          choices={[...new Set(entries.map(({ hostname }) => hostname))].map((one) => [one, hostOf(one)] as const)}
        />
        <span className="hint">The longest prefix decides, before all rules.</span>
      </search>
      {stage.error && <Problem error={stage.error} />}
      <DataTable
        label="Addresses"
        rows={found}
        keyOf={({ id }) => id}
        nameOf={({ ip }) => ip}
        columns={[
          ...COLUMNS,
          {
            title: "24 hours",
            isNumber: true,
            leaves: "narrow",
            // What bypasses is counted without its entry.
            cell: ({ id, ip, action: does }) =>
              does !== "bypass" && (
                <Hits
                  hits={hits?.get(id)}
                  name={ip}
                  href={projectHref(ADDRESSES.firewallDecisions, teamId, projectId, { rule: id })}
                />
              ),
          },
        ]}
        actions={(entry) => [
          { label: "Edit", icon: Pencil, whyNot: why, onSelect: () => setEdited(entry) },
          "line",
          { label: "Delete", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => remove(entry) },
        ]}
        empty={
          <Empty
            title={entries.length === 0 ? "No address has an entry" : "No entry matches"}
            hint="Deny or challenge a client or its network, or let your own bypass the rules."
          />
        }
      />
      {edited !== undefined && <EditAddress entry={edited} onClose={() => setEdited(undefined)} />}
    </>
  );
}
