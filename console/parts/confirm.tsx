// Asks before something that is not easily undone, and says what it does.
import { useState } from "react";
import type { ReactNode } from "react";
import { isOutdated } from "../api/seen-version.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";
import { onSubmit } from "./form.tsx";
import { Refusal } from "./proof.tsx";

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
  const { isPending, error } = change;
  const [typed, setTyped] = useState("");
  const ask = `Type ${word} to go on`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={onSubmit(onConfirm)}>
        <p>{what}</p>
        {children}
        {error && ((isOutdated(error) && outdated) || <Refusal error={error} retry={onConfirm} />)}
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
        <footer>
          <Button type="submit" kind="danger" disabledBecause={typed === word ? null : ask} busy={isPending}>
            {label}
          </Button>
          <Button kind="plain" onClick={onClose}>
            Cancel
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
