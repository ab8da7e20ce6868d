// What can be done with a trust rule, in its row and on its page.
import { FileCode2, Pencil, Trash2, UserRoundCheck } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";
import type { MenuItem } from "../../parts/menu-entries.ts";
import { useWhyNot } from "../../parts/why-not.ts";
import { ChangeTrustRule } from "./change-trust-rule.tsx";
import type { TrustRule } from "./claim-rows.ts";
import { JobDialog } from "./job-dialog.tsx";

interface DialogProps {
  readonly trust: TrustRule;
  readonly onClose: () => void;
}

function DeleteRule({ trust: { id, name }, onClose }: DialogProps): ReactNode {
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const remove = useChange("DELETE /v1/identity/trusts/:trustId", () => {
    onClose();
    navigate(ADDRESSES.trustRules.replace(":team", teamId));
  });
  return (
    <Confirm
      title={`Delete the trust rule ${name}?`}
      what="Its tokens are no longer exchanged, and the next request with a key that it issued is refused."
      label="Delete"
      change={remove}
      onConfirm={() => remove.mutate({ params: { trustId: id }, query: { teamId } })}
      onClose={onClose}
    />
  );
}

function AdoptRule({ trust: { id, name }, onClose }: DialogProps): ReactNode {
  const teamId = useTeamId();
  const adopt = useChange("PATCH /v1/identity/trusts/:trustId", onClose);
  return (
    <Confirm
      title={`Take over the trust rule ${name}?`}
      what="You are responsible for it from now on, and it exchanges tokens again. The keys that it issued before are refused for good."
      label="Take over"
      change={adopt}
      onConfirm={() => adopt.mutate({ params: { trustId: id }, query: { teamId }, body: { adopt: true } })}
      onClose={onClose}
    />
  );
}

interface RuleActions {
  readonly job: MenuItem;
  readonly change: MenuItem;
  readonly adopt: MenuItem;
  readonly remove: MenuItem;
}

/** The actions of a rule, and the dialog that the chosen one opens. */
export function useRuleActions(): { readonly of: (trust: TrustRule) => RuleActions; readonly dialog: ReactNode } {
  const whyNot = useWhyNot("api-key:manage");
  const [open, setOpen] = useState<{ readonly Dialog: typeof JobDialog; readonly trust: TrustRule } | null>(null);
  return {
    of: (trust) => {
      const opens = (Dialog: typeof JobDialog) => (): void => setOpen({ Dialog, trust });
      return {
        job: { label: "Show job", icon: FileCode2, onSelect: opens(JobDialog) },
        change: { label: "Change", icon: Pencil, whyNot, onSelect: opens(ChangeTrustRule) },
        adopt: { label: "Take over", icon: UserRoundCheck, whyNot, onSelect: opens(AdoptRule) },
        remove: { label: "Delete", icon: Trash2, isDanger: true, whyNot, onSelect: opens(DeleteRule) },
      };
    },
    dialog: open && <open.Dialog trust={open.trust} onClose={() => setOpen(null)} />,
  };
}
