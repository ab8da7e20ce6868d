// Removes somebody from the team, after saying what that does.
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import type { Member } from "../../api/objects.ts";
import { Confirm } from "../../parts/confirm.tsx";

interface Props {
  readonly member: Pick<Member, "uid" | "username">;
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
  const title = isSelf ? `Leave ${teamId}?` : `Remove ${member.username}?`;
  const act = (): void => remove.mutate({ params: { teamId, uid: member.uid } });
  return (
    <Confirm
      title={title}
      what={
        isSelf
          ? "You lose the team at once, and need an invitation to come back."
          : "They lose the team at once: the next request of their sessions, access tokens and programs to it is refused. Team API keys that they are responsible for are suspended until another Owner takes them over. Secrets, rules, webhooks and whatever else they made belong to the team, and stay."
      }
      label={label}
      change={remove}
      onConfirm={act}
      onClose={onClose}
    />
  );
}
