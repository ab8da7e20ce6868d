// Asks before an API key is deleted, one that somebody made or one that a trust rule issued.
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";

interface Props {
  readonly apiKey: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

export function DeleteKey({ apiKey, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const remove = useChange("DELETE /v1/api-keys/:keyId", onClose);
  return (
    <Confirm
      title={`Delete the key ${apiKey.name}?`}
      what="The next request with it is refused."
      label="Delete"
      change={remove}
      onConfirm={() => remove.mutate({ params: { keyId: apiKey.id }, query: { teamId } })}
      onClose={onClose}
    />
  );
}
