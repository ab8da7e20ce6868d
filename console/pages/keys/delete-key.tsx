// Asks before an API key is deleted, one that somebody made or one that a trust rule issued.
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.keys;

interface Props {
  readonly apiKey: { readonly id: string; readonly name: string };
  readonly onClose: () => void;
}

export function DeleteKey({ apiKey, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const remove = useChange("DELETE /v1/api-keys/:keyId", onClose);
  return (
    <Confirm
      title={fill(T.deleteTitle, { name: apiKey.name })}
      what={T.deleteWhat}
      label={T.delete}
      change={remove}
      onConfirm={() => remove.mutate({ params: { keyId: apiKey.id }, query: { teamId } })}
      onClose={onClose}
    />
  );
}
