// The names of one's own account. Who changes them in two places at once sees both versions.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Fetched } from "../../api/call.ts";
import type { Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Conflict, isConflict } from "../../parts/conflict.tsx";
import { Field } from "../../parts/field.tsx";
import { changedOf, onSubmit, otherProblem, problemWith, NOTHING_CHANGED } from "../../parts/form.tsx";
import { useLeaveWarning } from "../../parts/leave-warning.ts";
import { Problem } from "../../parts/problem.tsx";

const FIELDS = ["name", "username"] as const;
const LABELS = { name: "Name", username: "Username" };
const HINTS = {
  name: "What others see. Without one, they see the username.",
  username: "You can sign in with it. Letters, digits, _, . and -.",
};
const COMPLETE = { name: "name", username: "username" };

type Found = Fetched<Output<"GET /v2/user">>;
type Names = Readonly<Record<(typeof FIELDS)[number], string>>;

interface Props {
  /** The newest that is known. */
  readonly found: Found;
  /** It was just saved. */
  readonly isStored: boolean;
  readonly onStored: () => void;
}

function namesOf({ value: { user } }: Found): Names {
  return { name: user.name ?? "", username: user.username };
}

export function OwnNames({ found, isStored, onStored }: Props): ReactNode {
  // The form is about what it showed first, so that what was stored elsewhere meanwhile is not written over unseen.
  const [base] = useState(found);
  const [typed, setTyped] = useState(namesOf(base));
  const update = useChange("PATCH /v2/user", onStored);
  const changed = changedOf(typed, namesOf(base));
  const nothing = Object.keys(changed).length === 0 ? NOTHING_CHANGED : null;
  useLeaveWarning(nothing === null && !update.isSuccess);
  const save = ({ etag }: Found): void =>
    update.mutate({
      body: { ...changed, ...(changed.name === "" && { name: null }) },
      ...(etag === null ? {} : { ifMatch: etag }),
    });
  const other = otherProblem(update.error, FIELDS);
  const stored = namesOf(found);
  // What was typed between saving and showing what is stored would be lost.
  const isSaving = update.isPending || update.isSuccess;
  const isChanged = FIELDS.some((field) => typed[field] !== stored[field]);
  return (
    <section className="panel">
      <h2>Who you are</h2>
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
                  required={field === "username"}
                  maxLength={field === "name" ? 256 : 48}
                  readOnly={isSaving}
                  autoComplete={COMPLETE[field]}
                  onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        <footer>
          <output className="small">{isStored && !isChanged ? "Saved." : ""}</output>
          <Button type="submit" disabledBecause={nothing} busy={update.isPending}>
            Save
          </Button>
        </footer>
      </form>
    </section>
  );
}
