// Removes somebody from the team, after saying what that does.
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TEXTS, fill } from "../../texts.ts";
import type { Member } from "../../api/objects.ts";

const T = TEXTS.members;

interface Props {
  readonly member: Member;
  readonly label: string;
  readonly isSelf: boolean;
  readonly onClose: () => void;
}

export function RemoveDialog({ member, label, isSelf, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const [, navigate] = useLocation();
  const remove = useChange("DELETE /v1/teams/:teamId/members/:uid", () => {
    onClose();
    if (isSelf) navigate("/");
  });
  const title = isSelf ? fill(T.leaveTitle, { team: teamId }) : fill(T.removeTitle, { name: member.username });
  const act = (): void => remove.mutate({ params: { teamId, uid: member.uid } });
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{isSelf ? T.leaveWhat : T.removeWhat}</p>
      {remove.error && <Problem error={remove.error} />}
      <footer>
        <Button kind="danger" busy={remove.isPending} onClick={act}>
          {label}
        </Button>
        <Button kind="plain" onClick={onClose}>
          {TEXTS.dialog.cancel}
        </Button>
      </footer>
    </Dialog>
  );
}
