// The names of a team.
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { call } from "../../api/call.ts";
import type { Fetched } from "../../api/call.ts";
import type { Team } from "../../api/objects.ts";
import { useChange } from "../../api/queries.ts";
import { changedOf } from "../../parts/form.tsx";
import { NamesForm } from "../../parts/names-form.tsx";
import { useUndoable } from "../../parts/toast.tsx";

const FIELDS = {
  name: { label: "Name" },
  slug: { label: "Slug", hint: "In addresses and commands. Links with the old one stop working.", isCode: true },
  description: { label: "Description", hint: "At most 140 characters.", isOptional: true },
} as const;

const namesOf = ({ name, slug, description }: Team) => ({ name: name ?? slug, slug, description: description ?? "" });

const bodyOf = (names: Partial<ReturnType<typeof namesOf>>) => ({
  ...names,
  ...(names.description === "" && { description: null }),
});

export function TeamNames(props: {
  /** The newest that is known. */
  readonly found: Fetched<Team>;
  readonly why: string | null;
  /** What is stored is shown anew. */
  readonly onStored: () => void;
}): ReactNode {
  const { found, why, onStored } = props;
  const { id, slug } = found.value;
  const [, navigate] = useLocation();
  const say = useUndoable();
  const client = useQueryClient();
  const show = (from: string, to: string): void => {
    if (from === to) return onStored();
    // What was read under the other slug is not what there is now.
    client.removeQueries({ type: "inactive" });
    navigate(`/teams/${to}/settings`, { replace: true });
  };
  const update = useChange("PATCH /v2/teams/:teamId", (changed) => {
    const said =
      changed.slug === slug
        ? "The profile was changed"
        : `The slug is ${changed.slug}; links with ${slug} no longer work`;
    say(said, async () => {
      const body = bodyOf(changedOf(namesOf(found.value), namesOf(changed)));
      await call("PATCH /v2/teams/:teamId", { params: { teamId: id }, body });
      show(changed.slug, slug);
    });
    show(slug, changed.slug);
  });
  return (
    <NamesForm
      title="Profile"
      found={found}
      namesOf={namesOf}
      fields={FIELDS}
      change={update}
      why={why}
      onSave={(changed, etag) =>
        update.mutate({
          params: { teamId: id },
          body: bodyOf(changed),
          ...(etag === null ? {} : { ifMatch: etag }),
        })
      }
      onTake={onStored}
    >
      Team ID <code>{id}</code>
    </NamesForm>
  );
}
