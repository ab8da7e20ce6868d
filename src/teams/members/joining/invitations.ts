// Invitations as signing in sees them.
import type { ChangeRunner } from "../../../platform/kernel/internal-changes.ts";
import type { Clock } from "../../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import type { Invitations } from "../../../identity/methods/invitations.ts";
import type { joinWithAccount } from "./join-with-account.ts";
import { previewInvitation, previewOwnInvitation } from "./preview.ts";

export function createInvitations({
  reader,
  changes,
  clock,
}: {
  readonly reader: Tx;
  readonly changes: ChangeRunner<{ joinWithAccount: typeof joinWithAccount }>;
  readonly clock: Clock;
}): Invitations {
  return {
    preview: (code) => previewInvitation(reader, code, clock()),
    previewOwn: (caller, idOrSlug) => previewOwnInvitation(reader, caller, idOrSlug, clock()),
    join: (member) => changes.joinWithAccount(member, clock()),
  };
}
