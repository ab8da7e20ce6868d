// An invitation just after it was made: its link, to copy and to scan, or that a mail is on its way.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { Copyable } from "../../parts/copy.tsx";
import { QrCode } from "../../parts/qr/qr-code.tsx";
import { SHOWN_ONCE } from "../../parts/shown-once.tsx";

export const SENT =
  "They are invited. Where this server sends mail, they get the link; an account joins by the id of the team, too.";

export function NewLink({
  created: { code, inviteUrl },
}: {
  readonly created: Output<"POST /v1/teams/:teamId/invites">;
}): ReactNode {
  if (code === undefined) return <output>{SENT}</output>;
  return (
    <div aria-live="polite">
      <p>{SHOWN_ONCE}</p>
      <Copyable label="Link of the invitation" text={inviteUrl ?? code} />
      {inviteUrl !== undefined && <QrCode label="Link of the invitation" text={inviteUrl} />}
    </div>
  );
}
