// A change of environments: looked at without values first, then stored, all or none.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { call, isRefusal } from "../../api/call.ts";
import type { Input, Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useProject } from "../../parts/project.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { versionsOf } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";

const T = TEXTS.environments;
const PATCH = "PATCH /v1/environments/:project";

export type Changes = Input<typeof PATCH>["body"]["environments"];
type Masked = Output<"GET /v1/environments/:project/:environment/diff">["added"][number];
type Differing = Pick<Output<"GET /v1/environments/:project/:environment/diff">, "added" | "changed" | "removed">;

const wordsOf = ({ kind, secret }: Masked): string =>
  kind === "value" ? T.plainValue : fill(T.secretNamed, { name: secret?.name ?? secret?.uid ?? "" });

/** The keys that differ, with kinds and names of secrets. */
export function Differences({ of: { added, changed, removed } }: { readonly of: Differing }): ReactNode {
  const lines = [
    ...added.map((entry) => ["added", entry.key, wordsOf(entry)] as const),
    ...changed.map(({ key, after, changes }) => ["changed", key, `${wordsOf(after)} (${changes.join(", ")})`] as const),
    ...removed.map((entry) => ["removed", entry.key, wordsOf(entry)] as const),
  ];
  if (lines.length === 0) return <p>{T.nothingChanges}</p>;
  return (
    <ul>
      {lines.map(([kind, key, words]) => (
        <li key={key}>
          {T.kinds[kind]} <code>{key}</code>: {words}
        </li>
      ))}
    </ul>
  );
}

/** Looks at changes and stores them. What is expected are the versions that were shown first, or that a refusal told of. */
export function useStore(environments: readonly Environment[], onStored: (result: Output<typeof PATCH>) => void) {
  const query = { teamId: useTeamId() };
  const [project] = useProject();
  const [seen, setSeen] = useState(() => versionsOf(environments));
  const client = useQueryClient();
  const look = useMutation({
    mutationFn: (changes: Changes) =>
      call(PATCH, {
        params: { project },
        query: { ...query, dryRun: true },
        body: { environments: changes, expectedVersions: expected(changes) },
      }),
    gcTime: 0,
    // What is stored now is read again, so that the next look is at that.
    onError: () => client.invalidateQueries(),
  });
  const store = useChange(PATCH, onStored);
  const error = store.error ?? look.error;
  const isConflict = isRefusal(error) && error.code === "version_conflict";
  const now = isConflict ? versionsOf(environments) : seen;
  const expected = (changes: Changes): Record<string, number> =>
    Object.fromEntries(Object.keys(changes).flatMap((name) => (name in now ? [[name, now[name] ?? 0]] : [])));
  return {
    look: (changes: Changes): void => {
      setSeen(now);
      store.reset();
      look.mutate(changes);
    },
    store: (changes: Changes): void =>
      store.mutate({
        params: { project },
        query,
        body: { environments: changes, expectedVersions: expected(changes) },
      }),
    back: (): void => {
      setSeen(now);
      look.reset();
      store.reset();
    },
    seen: isConflict ? null : (look.data ?? null),
    isBusy: look.isPending || store.isPending,
    error: isConflict ? null : error,
    isConflict,
  };
}

interface Props {
  readonly change: ReturnType<typeof useStore>;
  readonly changes: Changes;
  readonly disabledBecause: string | null;
}

export function Review({ change, changes, disabledBecause }: Props): ReactNode {
  const { seen, isBusy, error, isConflict } = change;
  return (
    <>
      {error && <Problem error={error} />}
      {isConflict && (
        <p className="notice" role="alert">
          {T.conflict}
        </p>
      )}
      {seen?.environments.map((one) => (
        <section key={one.name}>
          <h3>{one.name}</h3>
          <Differences of={one} />
        </section>
      ))}
      <footer className="tools">
        {seen ? (
          <>
            <Button busy={isBusy} disabledBecause={disabledBecause} onClick={() => change.store(changes)}>
              {T.store}
            </Button>
            <Button kind="plain" onClick={change.back}>
              {T.back}
            </Button>
          </>
        ) : (
          <Button busy={isBusy} disabledBecause={disabledBecause} onClick={() => change.look(changes)}>
            {T.review}
          </Button>
        )}
      </footer>
    </>
  );
}
