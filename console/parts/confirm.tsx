// Asks before something that is not easily undone, and says what it does.
import { useState } from "react";
import type { ReactNode } from "react";
import { isOutdated } from "../api/seen-version.ts";
import { Field } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { onSubmit } from "./form.tsx";

interface Props {
  readonly title: string;
  readonly what: string;
  /** What the button says. */
  readonly label: string;
  /** Has to be typed first, where there is no way back. */
  readonly word?: string;
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  /** Tells that somebody else changed it meanwhile; by default the refusal does. */
  readonly outdated?: ReactNode;
  /** What it is about. */
  readonly children?: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function Confirm(props: Props): ReactNode {
  const { title, what, label, word = "", change, outdated, children, onConfirm, onClose } = props;
  const [typed, setTyped] = useState("");
  const ask = `Type ${word} to confirm`;
  return (
    <FormDialog
      title={title}
      label={label}
      kind="danger"
      disabledBecause={typed === word ? null : ask}
      change={change}
      onRetry={onConfirm}
      about={
        <>
          <p>{what}</p>
          {children}
        </>
      }
      conflict={change.error && isOutdated(change.error) && outdated}
      onSubmit={onSubmit(onConfirm)}
      onClose={onClose}
    >
      {word !== "" && (
        <Field label={ask}>
          {(control) => (
            <input
              {...control}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => setTyped(target.value)}
              // Nothing of it would be missed.
              onInput={(event) => event.stopPropagation()}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
}
