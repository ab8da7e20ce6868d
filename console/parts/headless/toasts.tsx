// What was done, said at the edge of the page for a while: announced, reached with F6, and held while it is looked at.
import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useEffect, useRef } from "react";
import type { ReactNode } from "react";

export interface Said {
  readonly text: string;
  readonly undo?: () => void;
}

function List(): ReactNode {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- no dialog: nothing has to be answered
    <Toast.Root key={toast.id} toast={toast} className="toast" role="group">
      <Toast.Title render={<span />} />
      <Toast.Action />
      <Toast.Close className="icon" aria-label="Dismiss">
        <X className="i" />
      </Toast.Close>
    </Toast.Root>
  ));
}

/** Hands each text over once. */
function Added({ said }: ToastsProps): ReactNode {
  const { add, close } = Toast.useToastManager();
  const count = useRef(0);
  useEffect(() => {
    for (const { text, undo } of said.slice(count.current)) {
      const id = add({
        title: text,
        ...(undo && {
          actionProps: {
            children: "Undo",
            onClick: () => {
              close(id);
              undo();
            },
          },
        }),
      });
    }
    count.current = said.length;
  }, [said, add, close]);
  return null;
}

export interface ToastsProps {
  readonly said: readonly Said[];
}

export function Toasts({ said }: ToastsProps): ReactNode {
  return (
    <Toast.Provider timeout={10_000}>
      <Added said={said} />
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
