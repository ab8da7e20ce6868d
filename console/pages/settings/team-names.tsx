// The names of a team. Two who change them at once see both versions.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import type { Fetched } from "../../api/call.ts";
import type { Team } from "../../api/objects.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Conflict, isConflict } from "../../parts/conflict.tsx";
import { Field } from "../../parts/field.tsx";
import { changedOf, onSubmit, otherProblem, problemWith, NOTHING_CHANGED } from "../../parts/form.tsx";
import { useLeaveWarning } from "../../parts/leave-warning.ts";
import { Problem } from "../../parts/problem.tsx";

const LABELS = { name: "Name", slug: "Slug", description: "Description" };
const HINTS = {
  name: undefined,
  slug: "In addresses and commands. Links with the old one stop working.",
  description: "At most 140 characters.",
};
const FIELDS = ["name", "slug", "description"] as const;
type Names = Readonly<Record<(typeof FIELDS)[number], string>>;

interface Props {
  /** The newest that is known. */
  readonly found: Fetched<Team>;
  readonly why: string | null;
  readonly onStored: () => void;
}

function namesOf({ name, slug, description }: Team): Names {
  return { name: name ?? slug, slug, description: description ?? "" };
}

export function TeamNames({ found, why, onStored }: Props): ReactNode {
  // The form is about what it showed first, so that what others stored meanwhile is not written over unseen.
  const [base] = useState(found);
  const [typed, setTyped] = useState(namesOf(base.value));
  const [, navigate] = useLocation();
  const update = useChange("PATCH /v2/teams/:teamId", ({ slug }) => {
    if (slug === base.value.slug) onStored();
    else navigate(`/teams/${slug}/settings`, { replace: true });
  });
  const changed = changedOf(typed, namesOf(base.value));
  const nothing = Object.keys(changed).length === 0 ? NOTHING_CHANGED : null;
  useLeaveWarning(nothing === null && !update.isSuccess);
  const save = ({ etag }: Fetched<Team>): void =>
    update.mutate({
      params: { teamId: base.value.id },
      body: { ...changed, ...(changed.description === "" && { description: null }) },
      ...(etag === null ? {} : { ifMatch: etag }),
    });
  const other = otherProblem(update.error, FIELDS);
  const stored = namesOf(found.value);
  // What was typed between saving and showing what is stored would be lost.
  const isSaving = update.isPending || update.isSuccess;
  return (
    <section className="panel">
      <h2>Profile</h2>
      <form onSubmit={onSubmit(() => save(base))}>
        {other && !isConflict(other) && <Problem error={other} />}
        {isConflict(other) && (
          <Conflict
            fields={FIELDS.map((field) => ({
              label: LABELS[field],
              stored: stored[field],
              typed: changed[field] ?? stored[field],
            }))}
            busy={update.isPending}
            onKeep={() => save(found)}
            onTake={onStored}
          />
        )}
        <div className="halves">
          {FIELDS.map((field) => (
            <Field key={field} label={LABELS[field]} hint={HINTS[field]} problem={problemWith(update.error, field)}>
              {(control) => (
                <input
                  {...control}
                  name={field}
                  value={typed[field]}
                  required={field !== "description"}
                  readOnly={why !== null || isSaving}
                  autoComplete="off"
                  onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        <footer>
          <span className="small">
            Team ID <code>{base.value.id}</code>
          </span>
          <Button type="submit" disabledBecause={why ?? nothing} busy={update.isPending}>
            Save
          </Button>
        </footer>
      </form>
    </section>
  );
}
