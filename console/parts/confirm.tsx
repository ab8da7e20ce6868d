// Asks before something that is not easily undone, and says what it does.
import type { ReactNode } from "react";
import { TEXTS } from "../texts.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Refusal } from "./proof.tsx";

interface Props {
  readonly title: string;
  readonly what: string;
  /** What the button says. */
  readonly label: string;
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export function Confirm({ title, what, label, change: { isPending, error }, onConfirm, onClose }: Props): ReactNode {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{what}</p>
      {error && <Refusal error={error} retry={onConfirm} />}
      <footer>
        <Button kind="danger" busy={isPending} onClick={onConfirm}>
          {label}
        </Button>
        <Button kind="plain" onClick={onClose}>
          {TEXTS.dialog.cancel}
        </Button>
      </footer>
    </Dialog>
  );
}
