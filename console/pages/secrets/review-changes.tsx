// What a text would change, without its values, and the button that stores it as one change.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { isRefusal, call } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Entry } from "../../parts/env-text.ts";
import { forEachAtOnce } from "./present-values.ts";
import type { PresentValue } from "./present-values.ts";

/** As many as one change may store. */
const MOST = 100;

interface Props {
  readonly entries: readonly Entry[];
  /** What is known of the present values. */
  readonly present: ReadonlyMap<string, PresentValue>;
  readonly onBack: () => void;
  readonly onStored: () => void;
}

/** The version that each name is at; 0: there is no such secret. */
function useVersions(names: readonly string[]) {
  const teamId = useTeamId();
  return useQuery({
    queryKey: ["versions of secrets", teamId, names],
    staleTime: Infinity,
    async queryFn({ signal }) {
      const versions = new Map<string, number>();
      await forEachAtOnce(names, async (name) => {
        const found = await call("GET /v3/secrets/:name", { params: { name }, query: { teamId } }, signal).catch(
          (error: unknown) => {
            if (isRefusal(error) && error.status === 404) return null;
            throw error;
          },
        );
        versions.set(name, found?.version ?? 0);
      });
      return versions;
    },
  });
}

export function ReviewChanges({ entries, present, onBack, onStored }: Props): ReactNode {
  const query = { teamId: useTeamId() };
  const [isDecryptable, setDecryptable] = useState(true);
  const changed = entries.filter(({ name, value }) => present.get(name)?.value !== value);
  const versions = useVersions(changed.map(({ name }) => name));
  const store = useChange("PATCH /v1/secrets/values", onStored);
  // What the text was written against: the values that were filled in, else what was stored at the first look.
  const [first, setFirst] = useState<ReadonlyMap<string, number> | null>(null);
  if (versions.data && first === null) setFirst(versions.data);
  if (versions.error) return <Problem error={versions.error} retry={() => void versions.refetch()} />;
  if (!versions.data) return <Skeleton rows={3} />;
  const versionOf = (name: string): number => versions.data.get(name) ?? 0;
  const isNewer = (name: string): boolean => versionOf(name) > (present.get(name)?.version ?? first?.get(name) ?? 0);
  const act = (): void =>
    store.mutate({
      query,
      body: {
        decryptable: isDecryptable,
        values: changed.map(({ name, value }) => ({ name, value, expectedVersion: versionOf(name) })),
      },
    });
  const tooMany = changed.length > MOST ? `One change stores ${MOST} at most` : null;
  return (
    <section className="panel">
      <h2>What would change</h2>
      <p>
        {changed.length} to store, {entries.length - changed.length} as they are. Values are not shown here.
      </p>
      <DataTable
        label="Changed secrets"
        rows={changed}
        keyOf={({ name }) => name}
        isWrapped
        columns={[
          { title: "Name", cell: ({ name }) => <code>{name}</code> },
          {
            title: "Becomes",
            cell: ({ name }) => (
              <>
                {versionOf(name) === 0 ? "a new secret" : `version ${versionOf(name) + 1}`}
                {isNewer(name) && (
                  <span className="badge warn">somebody else stored version {versionOf(name)} meanwhile</span>
                )}
              </>
            ),
          },
          { title: "Size", cell: ({ value }) => `${new TextEncoder().encode(value).length} bytes` },
        ]}
      />
      <label className="check">
        <input type="checkbox" checked={isDecryptable} onChange={(event) => setDecryptable(event.target.checked)} />
        The values of new secrets can be revealed later
      </label>
      {store.error && <Problem error={store.error} retry={() => void versions.refetch()} />}
      <footer className="tools">
        <Button
          disabledBecause={tooMany ?? (changed.length === 0 ? "Nothing would change" : null)}
          busy={store.isPending}
          onClick={act}
        >
          Save all
        </Button>
        <Button kind="plain" onClick={onBack}>
          Back to the text
        </Button>
      </footer>
    </section>
  );
}
