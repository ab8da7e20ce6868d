// Minutes with unusually many requests, as the API finds them: the latest, and those before it.
import { Siren } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { useApi } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Problem } from "../../../parts/problem.tsx";
import { Time } from "../../../parts/time.tsx";
import { projectHref, useProject } from "../../../parts/project.tsx";

const MINUTE_MS = 60_000;

export function Attacks({ days }: { readonly days: number }): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const found = useApi("GET /v1/security/firewall/attack-status", { query: { teamId, projectId, since: days } });
  if (found.error) return <Problem error={found.error} retry={() => void found.refetch()} />;
  const [latest, ...earlier] = found.data?.value.anomalies ?? [];
  if (!latest) return null;
  const { state, startTime, endTime, atMinute, affectedHostMap } = latest;
  const hosts = Object.keys(affectedHostMap);
  const ends = { since: startTime - 1, until: endTime ?? atMinute + MINUTE_MS };
  const filled = Object.fromEntries(Object.entries(ends).map(([name, at]) => [name, new Date(at).toISOString()]));
  return (
    <div className="notice draft unusual">
      <Siren className="i" />
      <span className="grow">
        <strong>
          Unusual traffic <Time at={startTime} />
          {state === "active" && ", and it goes on"}.
        </strong>{" "}
        {hosts.length > 0 && <>It went to {hosts.join(", ")}. </>}
        {earlier.length > 0 && (
          <>
            {earlier.length} earlier: the first <Time at={earlier.at(-1)?.startTime ?? startTime} />.{" "}
          </>
        )}
        <Link href={projectHref(ADDRESSES.firewallAttackMode, teamId, projectId)}>Attack mode</Link>
      </span>
      <Link className="button plain" href={projectHref(ADDRESSES.firewallDecisions, teamId, projectId, filled)}>
        Show decisions
      </Link>
    </div>
  );
}
