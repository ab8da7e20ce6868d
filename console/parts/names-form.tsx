// The names of a team or an account. Who changes them in two places at once sees both versions, and a change can be undone.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Fetched } from "../api/call.ts";
import { Button } from "./button.tsx";
import { Conflict, isConflict } from "./conflict.tsx";
import { Field } from "./field.tsx";
import { NOTHING_CHANGED, changedOf, onSubmit, otherProblem, problemWith } from "./form.tsx";
import { useLeaveWarning } from "./leave-warning.ts";
import { Problem } from "./problem.tsx";

type Names<N extends string> = Readonly<Record<N, string>>;

interface Props<T, N extends string> {
  readonly title: string;
  /** The newest that is known. */
  readonly found: Fetched<T>;
  readonly namesOf: (value: T) => Names<N>;
  readonly fields: Readonly<
    Record<
      N,
      {
        readonly label: string;
        readonly hint?: string;
        readonly isOptional?: true;
        /** What is copied, such as a name in programs, has letters of one width. */
        readonly isCode?: true;
        readonly maxLength?: number;
        readonly autoComplete?: string;
      }
    >
  >;
  readonly change: { readonly error: Error | null; readonly isPending: boolean; readonly isSuccess: boolean };
  /** Why nothing may be changed; null: it may. */
  readonly why?: string | null;
  /** What is still stored as it was when `etag` was read is replaced. */
  readonly onSave: (changed: Partial<Names<N>>, etag: string | null) => void;
  /** Shows what is stored, and forgets what was typed. */
  readonly onTake: () => void;
  /** Beside the button. */
  readonly children?: ReactNode;
}

export function NamesForm<T, N extends string>(props: Props<T, N>): ReactNode {
  const { title, found, namesOf, fields, change, why = null, onSave, onTake, children } = props;
  // The form is about what it showed first, so that what was stored elsewhere meanwhile is not written over unseen.
  const [base] = useState(found);
  const [typed, setTyped] = useState(namesOf(base.value));
  const names = Object.keys(fields) as N[];
  const changed = changedOf(typed, namesOf(base.value));
  const nothing = Object.keys(changed).length === 0 ? NOTHING_CHANGED : null;
  useLeaveWarning(nothing === null && !change.isSuccess);
  const other = otherProblem(change.error, names);
  const stored = namesOf(found.value);
  return (
    <section className="panel">
      <h2>{title}</h2>
      <form onSubmit={onSubmit(() => onSave(changed, base.etag))}>
        {other && !isConflict(other) && <Problem error={other} />}
        {isConflict(other) && (
          <Conflict
            fields={names.map((name) => ({
              label: fields[name].label,
              stored: stored[name],
              typed: changed[name] ?? stored[name],
            }))}
            busy={change.isPending}
            onKeep={() => onSave(changed, found.etag)}
            onTake={onTake}
          />
        )}
        <div className="halves">
          {names.map((name) => {
            const { label, hint, isOptional = false, isCode, maxLength, autoComplete = "off" } = fields[name];
            return (
              <Field key={name} label={label} hint={hint} problem={problemWith(change.error, name)}>
                {(control) => (
                  <input
                    {...control}
                    name={name}
                    className={isCode && "mono"}
                    value={typed[name]}
                    required={!isOptional}
                    maxLength={maxLength}
                    // What was typed between saving and showing what is stored would be lost.
                    readOnly={why !== null || change.isPending || change.isSuccess}
                    autoComplete={autoComplete}
                    onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
                  />
                )}
              </Field>
            );
          })}
        </div>
        <footer>
          <span className="small">{children}</span>
          <Button type="submit" disabledBecause={why ?? nothing} busy={change.isPending}>
            Save
          </Button>
        </footer>
      </form>
    </section>
  );
}
