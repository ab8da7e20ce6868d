// Saves all events that the filters leave as a file.
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { saveFile } from "../../api/call.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TEXTS } from "../../texts.ts";

const T = TEXTS.events;

export function Export({
  query,
}: {
  readonly query: { readonly types: string; readonly entityId: string };
}): ReactNode {
  const teamId = useTeamId();
  const save = useMutation({
    mutationFn: () =>
      saveFile(
        "GET /v3/events",
        { query: { teamId, ...query, withPayload: true } },
        "text/csv",
        `events-${teamId}.csv`,
      ),
  });
  return (
    <>
      <Button kind="plain" busy={save.isPending} onClick={() => save.mutate()}>
        {T.export}
      </Button>
      {save.error && <Problem error={save.error} />}
    </>
  );
}
