// A change of environments: looked at without values first, then stored, all or none.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactNode } from "react";
import { call, isRefusal } from "../../api/call.ts";
import type { Input, Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { useProject } from "../../parts/project.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Differences } from "./differences.tsx";
import { versionsOf } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";

const PATCH = "PATCH /v1/environments/:project";

type Changes = Input<typeof PATCH>["body"]["environments"];
export type EntryInput = NonNullable<Changes[string]["set"]>[string];

/** Looks at changes and stores them. What is expected are the versions that were shown first, or that a refusal told of. */
export function useStore(environments: readonly Environment[], onStored: (result: Output<typeof PATCH>) => void) {
  const teamId = useTeamId();
  const [project] = useProject();
  const [seen, setSeen] = useState(() => versionsOf(environments));
  const client = useQueryClient();
  const inputOf = (changes: Changes): Input<typeof PATCH> => {
    // One that was created since is expected as it is now.
    const versions = { ...versionsOf(environments), ...now };
    const expectedVersions = Object.fromEntries(Object.keys(changes).map((name) => [name, versions[name] ?? 0]));
    return { params: { project }, query: { teamId }, body: { environments: changes, expectedVersions } };
  };
  const look = useMutation({
    mutationFn: (changes: Changes) => {
      const input = inputOf(changes);
      return call(PATCH, { ...input, query: { ...input.query, dryRun: true } });
    },
    gcTime: 0,
    // What is stored now is read again, so that the next look is at that.
    onError: () => client.invalidateQueries(),
  });
  const store = useChange(PATCH, onStored);
  const error = store.error ?? look.error;
  const conflict = isRefusal(error) && error.code === "version_conflict" ? error : null;
  const now = conflict ? versionsOf(environments) : seen;
  const start = (): void => {
    setSeen(now);
    store.reset();
  };
  return {
    look(changes: Changes): void {
      start();
      look.mutate(changes);
    },
    store(changes: Changes): void {
      start();
      store.mutate(inputOf(changes));
    },
    back(): void {
      start();
      look.reset();
    },
    seen: conflict ? null : (look.data ?? null),
    // What is stored is not stored again.
    isBusy: look.isPending || store.isPending || store.isSuccess,
    error: conflict ? null : error,
    /** Names the environment that somebody else has changed. */
    conflict: conflict && (/[^.]*$/.exec(conflict.field)?.[0] ?? ""),
  };
}

/** Tells that somebody else has changed an environment. */
export function ChangedMeanwhile({ environment }: { readonly environment: string }): ReactNode {
  return (
    <p className="notice" role="alert">
      Somebody changed {environment} while you did. Nothing of yours is stored yet, and nothing that you typed is lost:
      go on to change what is stored now.
    </p>
  );
}

/** The changes are read next, from their beginning. */
function focus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView();
}

interface Props {
  readonly change: ReturnType<typeof useStore>;
  readonly changes: Changes;
  readonly disabledBecause: string | null;
  /** A field shows the refusal. */
  readonly isShown?: boolean;
}

export function Review({ change, changes, disabledBecause, isShown = false }: Props): ReactNode {
  const { seen, isBusy, error, conflict } = change;
  const [wasSeen, setWasSeen] = useState(false);
  const act = (): void => (seen ? change.store(changes) : change.look(changes));
  return (
    <>
      {error && !isShown && <Refusal error={error} retry={act} />}
      {conflict !== null && <ChangedMeanwhile environment={conflict} />}
      {seen && (
        <section ref={focus} tabIndex={-1} aria-label="What would change">
          {seen.environments.map((one) => (
            <section key={one.name}>
              <h3>{one.name}</h3>
              <Differences of={one} />
            </section>
          ))}
          <p className="hint">Values are not shown here.</p>
        </section>
      )}
      <footer className="tools">
        {seen ? (
          <>
            <Button key="store" busy={isBusy} disabledBecause={disabledBecause} onClick={act}>
              Store
            </Button>
            <Button
              kind="plain"
              onClick={() => {
                setWasSeen(true);
                change.back();
              }}
            >
              Back
            </Button>
          </>
        ) : (
          <Button key="look" busy={isBusy} disabledBecause={disabledBecause} autoFocus={wasSeen} onClick={act}>
            Review changes
          </Button>
        )}
      </footer>
    </>
  );
}
