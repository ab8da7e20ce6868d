// Invitations as signing in sees them.
import type { CommandRunner } from "../../../kernel/internal-commands.ts";
import type { Clock } from "../../../kernel/scheduling/clock.ts";
import type { Tx } from "../../../kernel/tx.ts";
import type { Invitations } from "../../sign-in/invitations.ts";
import type { joinWithAccount } from "./join-with-account.ts";
import { previewInvitation, previewOwnInvitation } from "./preview.ts";

export function createInvitations({
  reader,
  commands,
  clock,
}: {
  readonly reader: Tx;
  readonly commands: CommandRunner<{ joinWithAccount: typeof joinWithAccount }>;
  readonly clock: Clock;
}): Invitations {
  return {
    preview: (code) => previewInvitation(reader, code, clock()),
    previewOwn: (caller, idOrSlug) => previewOwnInvitation(reader, caller, idOrSlug, clock()),
    join: (member) => commands.joinWithAccount(member, clock()),
  };
}
