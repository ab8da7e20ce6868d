// An invitation just after it was made: its link, to copy and to scan, or that a mail is on its way.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { Copyable } from "../../parts/copy.tsx";
import { QrCode } from "../../parts/qr/qr-code.tsx";
import { TEXTS } from "../../texts.ts";

const T = TEXTS.invitations;

export function NewLink({
  created: { code, inviteUrl },
}: {
  readonly created: Output<"POST /v1/teams/:teamId/invites">;
}): ReactNode {
  if (code === undefined) return <output>{TEXTS.members.sent}</output>;
  return (
    <div aria-live="polite">
      <p>{TEXTS.shownOnce}</p>
      <Copyable label={T.linkLabel} text={inviteUrl ?? code} />
      {inviteUrl !== undefined && <QrCode label={T.linkLabel} text={inviteUrl} />}
    </div>
  );
}
