// Takes an entry off the bypass list, after saying what that does.
import type { ReactNode } from "react";
import { call } from "../../../api/call.ts";
import { useChange } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Confirm } from "../../../parts/confirm.tsx";
import { useProject } from "../../../parts/project.tsx";
import { useUndoable } from "../../../parts/toast.tsx";
import type { Bypass } from "./use-bypasses.ts";

/** The API shows the same address for every client and for every address of IPv4; the ids differ. */
function isForEveryClient({ Id }: Bypass): boolean {
  return Id.endsWith("#*");
}

/** The clients of an entry, in words. */
export function clientOf(bypass: Bypass): string {
  return isForEveryClient(bypass) ? "every client" : bypass.Ip;
}

interface Props {
  readonly bypass: Bypass;
  readonly onClose: () => void;
}

export function RemoveBypass({ bypass, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const toast = useUndoable();
  const query = { teamId, projectId };
  const source = isForEveryClient(bypass) ? { allSources: true } : { sourceIp: bypass.Ip };
  const remove = useChange("DELETE /v1/security/firewall/bypass", () => {
    onClose();
    toast(`${clientOf(bypass)} was removed from the list`, () =>
      call("POST /v1/security/firewall/bypass", {
        query,
        body: {
          ...(bypass.IsProjectRule ? { projectScope: true } : { domain: bypass.Domain }),
          ...source,
          ...(bypass.ExpiresAt !== null && { ttl: Math.max(1, bypass.ExpiresAt * 1_000 - Date.now()) }),
          ...(bypass.Note && { note: bypass.Note }),
        },
      }),
    );
  });
  return (
    <Confirm
      title={`Remove ${clientOf(bypass)} from the list?`}
      what="While attack mode is on, its next request is challenged."
      label="Remove"
      change={remove}
      onConfirm={() => remove.mutate({ query, body: { domain: bypass.Domain, ...source } })}
      onClose={onClose}
    />
  );
}
