// Deletes a rule from the draft.
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { useStage } from "../firewall-config.ts";
import type { Rule } from "../config-types.ts";

export function RemoveRule({ rule, onClose }: { readonly rule: Rule; readonly onClose: () => void }): ReactNode {
  const stage = useStage(onClose);
  return (
    <Dialog title={`Delete the rule ${rule.name}?`} onClose={onClose}>
      <p>The draft will not have it. It goes on working until you publish the draft.</p>
      {stage.error && <Problem error={stage.error} />}
      <footer>
        <Button
          kind="danger"
          busy={stage.isPending}
          onClick={() =>
            stage.mutate({
              change: { action: "rules.remove", id: rule.id },
              replaces: { find: ({ rules }) => rules.find(({ id }) => id === rule.id), known: rule },
            })
          }
        >
          Delete
        </Button>
        <Button kind="plain" onClick={onClose}>
          Cancel
        </Button>
      </footer>
    </Dialog>
  );
}
