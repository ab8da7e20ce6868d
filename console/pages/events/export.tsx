// Saves all events that the filters leave as a file.
import { Download } from "lucide-react";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { saveCsv } from "../../api/call.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/problem.tsx";

export interface EventFilters {
  readonly types?: string;
  readonly entityId?: string;
  readonly principalId?: string;
  readonly projectIds?: string;
  readonly since?: string;
  readonly until?: string;
}

export function Export({ query }: { readonly query: EventFilters }): ReactNode {
  const teamId = useTeamId();
  const save = useMutation({
    mutationFn: () =>
      saveCsv("GET /v3/events/export", { query: { teamId, ...query, withPayload: true } }, `events-${teamId}.csv`),
  });
  return (
    <>
      <Button kind="plain" busy={save.isPending} onClick={() => save.mutate()}>
        <Download className="i" />
        Export as CSV
      </Button>
      {save.error && <Problem error={save.error} />}
    </>
  );
}
