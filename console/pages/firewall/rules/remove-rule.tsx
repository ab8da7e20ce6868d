// Deletes a rule from the draft.
import type { ReactNode } from "react";
import { useStage } from "../firewall-config.ts";
import type { Rule } from "../config-types.ts";
import { Confirm } from "../../../parts/confirm.tsx";

interface Props {
  readonly rule: Rule;
  readonly onDone?: () => void;
  readonly onClose: () => void;
}

export function RemoveRule({ rule, onClose, onDone = onClose }: Props): ReactNode {
  const stage = useStage(onDone);
  return (
    <Confirm
      title={`Delete the rule ${rule.name}?`}
      what="The draft will not have it. It goes on working until you publish the draft."
      label="Delete"
      change={stage}
      onConfirm={() =>
        stage.mutate({
          change: { action: "rules.remove", id: rule.id },
          replaces: { find: ({ rules }) => rules.find(({ id }) => id === rule.id), known: rule },
        })
      }
      onClose={onClose}
    />
  );
}
