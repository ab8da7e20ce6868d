// Deletes a rule from the draft.
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { TEXTS, fill } from "../../../texts.ts";
import { useStage } from "../firewall-config.ts";
import type { Rule } from "../config-types.ts";

const T = TEXTS.firewallRules;

export function RemoveRule({ rule, onClose }: { readonly rule: Rule; readonly onClose: () => void }): ReactNode {
  const stage = useStage(onClose);
  return (
    <Dialog title={fill(T.removeTitle, { name: rule.name })} onClose={onClose}>
      <p>{T.removeWhat}</p>
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
          {T.remove}
        </Button>
        <Button kind="plain" onClick={onClose}>
          {TEXTS.dialog.cancel}
        </Button>
      </footer>
    </Dialog>
  );
}
