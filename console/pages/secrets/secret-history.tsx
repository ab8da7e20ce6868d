// The versions of a secret's value that are kept, and its present and former names.
import { GitCompareArrows, RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { usePeople } from "../../api/people.ts";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Problem } from "../../parts/problem.tsx";
import { DataTable } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { CompareVersions } from "./compare-versions.tsx";
import type { Secret } from "../../api/objects.ts";

const KINDS = { current: "present name", alias: "former name that still reads it", former: "former name" };

interface Props {
  readonly secret: Secret;
  /** Why nothing may be changed; null: it may. */
  readonly why: string | null;
}

export function SecretVersions({ secret, why }: Props): ReactNode {
  const teamId = useTeamId();
  const params = { name: secret.uid };
  const list = useApiPages("GET /v2/secrets/:name/versions", { params, query: { teamId, limit: 20 } });
  const [compared, setCompared] = useState<number | null>(null);
  const restore = useChange("POST /v2/secrets/:name/versions/:version/restore");
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? [];
  const people = usePeople(versions.flatMap(({ createdBy }) => createdBy ?? []));
  const bringBack = (version: number): void =>
    restore.mutate({
      params: { ...params, version: String(version) },
      query: { teamId },
      body: { expectedVersion: secret.version },
    });
  return (
    <section>
      <header className="section">
        <h2>Versions</h2>
        <span className="small">The newest {secret.maxVersions} are kept</span>
      </header>
      {restore.error && <Problem error={restore.error} />}
      <DataTable
        label="Versions"
        list={list}
        rows={versions}
        keyOf={({ version }) => String(version)}
        nameOf={({ version }) => `version ${version}`}
        isWrapped
        columns={[
          {
            title: "Version",
            cell: ({ version, restoredFrom }) => (
              <>
                <strong>{version}</strong>
                {version === secret.version && <span className="badge info">Current</span>}
                {restoredFrom !== null && <span className="badge">version {restoredFrom} again</span>}
              </>
            ),
          },
          {
            title: "Stored by",
            cell: ({ createdBy }) => {
              const name = people[createdBy ?? ""];
              return (
                name && (
                  <span className="name">
                    <Avatar name={name} /> {name}
                  </span>
                )
              );
            },
            leaves: "phone",
          },
          { title: "Stored", cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: "Size", cell: ({ size }) => `${size} B`, leaves: "narrow", isNumber: true },
        ]}
        actions={({ version }) =>
          version === secret.version
            ? []
            : [
                ...(secret.decryptable
                  ? [{ label: "Compare", icon: GitCompareArrows, onSelect: () => setCompared(version) }]
                  : []),
                { label: "Restore", icon: RotateCcw, whyNot: why, onSelect: () => bringBack(version) },
              ]
        }
      />
      {compared !== null && <CompareVersions secret={secret} version={compared} onClose={() => setCompared(null)} />}
    </section>
  );
}

export function SecretNames({ secret, why }: Props): ReactNode {
  const teamId = useTeamId();
  const [removed, setRemoved] = useState<string | null>(null);
  const remove = useChange("DELETE /v2/secrets/:name/aliases/:alias", () => setRemoved(null));
  const list = useApiPages("GET /v2/secrets/:name/names", {
    params: { name: secret.uid },
    query: { teamId, limit: 20 },
  });
  const names = list.data?.pages.flatMap((page) => page.names) ?? [];
  // The present one is the title.
  if (names.length < 2) return null;
  return (
    <section>
      <h2>Names</h2>
      <DataTable
        label="Names"
        list={list}
        rows={names}
        keyOf={({ name, begunAt }) => `${name} ${begunAt}`}
        isWrapped
        columns={[
          { title: "Name", cell: ({ name }) => <code>{name}</code> },
          { title: "Kind", cell: ({ kind }) => KINDS[kind] },
          { title: "Since", cell: ({ begunAt }) => <Time at={begunAt} />, leaves: "phone" },
        ]}
        nameOf={({ name }) => name}
        actions={({ name, kind }) =>
          kind === "alias"
            ? [{ label: "Remove name", icon: Trash2, isDanger: true, whyNot: why, onSelect: () => setRemoved(name) }]
            : []
        }
      />
      {removed !== null && (
        <Confirm
          title={`Remove the name ${removed}?`}
          what="Programs that read the secret by this name are refused from now on."
          label="Remove name"
          change={remove}
          onConfirm={() => remove.mutate({ params: { name: secret.uid, alias: removed }, query: { teamId } })}
          onClose={() => setRemoved(null)}
        />
      )}
    </section>
  );
}
