// Deletes a secret, after saying what that does.
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import type { Secret } from "../../api/objects.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { useUndoable } from "../../parts/toast.tsx";

interface Props {
  readonly secret: Pick<Secret, "name" | "uid">;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function DeleteSecret({ secret, onDone, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const toast = useUndoable();
  const remove = useChange("DELETE /v2/secrets/:name", () => {
    onDone();
    toast(`${secret.name} was deleted`, () =>
      call("POST /v2/secrets/:name/restore", { params: { name: secret.uid }, query: { teamId } }),
    );
  });
  return (
    <Confirm
      title={`Delete ${secret.name}?`}
      what="Programs that read it are refused from now on. For seven days it can be restored with everything it had."
      label="Delete"
      change={remove}
      onConfirm={() => remove.mutate({ params: { name: secret.uid }, query: { teamId } })}
      onClose={onClose}
    />
  );
}
