// The versions of a secret's value that are kept, and its present and former names.
import { useState } from "react";
import type { ReactNode } from "react";
import { useApiPages, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Table } from "../../parts/table.tsx";
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
  const bringBack = (version: number): void =>
    restore.mutate({
      params: { ...params, version: String(version) },
      query: { teamId },
      body: { expectedVersion: secret.version },
    });
  return (
    <section>
      <h2>Versions</h2>
      {restore.error && <Problem error={restore.error} />}
      <ApiList list={list} isEmpty={false} empty={null}>
        <Table columns={["Version", "Stored", "Size"]} actions="Actions">
          {versions.map(({ version, createdAt, size, restoredFrom }) => (
            <tr key={version}>
              <th scope="row">
                {version}
                {restoredFrom !== null && <span className="badge">version {restoredFrom} again</span>}
              </th>
              <td>
                <Time at={createdAt} />
              </td>
              <td>{size} bytes</td>
              <td className="actions">
                {version !== secret.version && (
                  <>
                    {secret.decryptable && (
                      <Button kind="plain" onClick={() => setCompared(version)}>
                        Compare
                      </Button>
                    )}
                    <Button
                      kind="plain"
                      disabledBecause={why}
                      busy={restore.isPending}
                      onClick={() => bringBack(version)}
                    >
                      Restore
                    </Button>
                  </>
                )}
              </td>
            </tr>
          ))}
        </Table>
      </ApiList>
      {compared !== null && <CompareVersions secret={secret} version={compared} onClose={() => setCompared(null)} />}
    </section>
  );
}

/** Ends a former name that still reads the secret. */
function GiveUp({ secret, alias, why }: Props & { readonly alias: string }): ReactNode {
  const teamId = useTeamId();
  const [isOpen, setOpen] = useState(false);
  const remove = useChange("DELETE /v2/secrets/:name/aliases/:alias", () => setOpen(false));
  return (
    <>
      <Button kind="danger" disabledBecause={why} onClick={() => setOpen(true)}>
        Give up
      </Button>
      {isOpen && (
        <Confirm
          title={`Give up ${alias}?`}
          what="Whatever reads the secret by this name is refused from now on."
          label="Give up"
          change={remove}
          onConfirm={() => remove.mutate({ params: { name: secret.uid, alias }, query: { teamId } })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

export function SecretNames({ secret, why }: Props): ReactNode {
  const teamId = useTeamId();
  const list = useApiPages("GET /v2/secrets/:name/names", {
    params: { name: secret.uid },
    query: { teamId, limit: 20 },
  });
  const names = list.data?.pages.flatMap((page) => page.names) ?? [];
  return (
    <section>
      <h2>Names</h2>
      <ApiList list={list} isEmpty={false} empty={null}>
        <Table columns={["Name", "Kind", "Since"]} actions="Actions">
          {names.map(({ name, kind, begunAt }) => (
            <tr key={`${name} ${begunAt}`}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>{KINDS[kind]}</td>
              <td>
                <Time at={begunAt} />
              </td>
              <td className="actions">{kind === "alias" && <GiveUp secret={secret} alias={name} why={why} />}</td>
            </tr>
          ))}
        </Table>
      </ApiList>
    </section>
  );
}
