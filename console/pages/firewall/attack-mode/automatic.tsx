// Attack mode that switches itself: the switch, the figures that it goes by, and what it would have done.
import type { ReactNode } from "react";
import { useApi, useChange } from "../../../api/queries.ts";
import type { Output } from "../../../api/endpoints.ts";
import { useMay, useTeamId } from "../../../api/team.ts";
import { Button } from "../../../parts/button.tsx";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Table } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { TEXTS, fill } from "../../../texts.ts";
import { useProject } from "../../../parts/project.tsx";
import { ChangeRefusal } from "./switch-on.tsx";

const T = TEXTS.attackMode.automatic;
/** Gates report every ten seconds. */
const READ_EVERY_MS = 10_000;
const COUNT = new Intl.NumberFormat("en");

type Automatic = Output<"GET /v1/attack-challenge-mode/automatic">;

function Proposal({ automatic: { enabled, lastUnusual } }: { readonly automatic: Automatic }): ReactNode {
  if (enabled || lastUnusual === null) return null;
  const { at, measure, measured, usual } = lastUnusual;
  const figures = { measured: COUNT.format(measured), usual: COUNT.format(usual) };
  return (
    <p className="notice">
      {T.wouldHave} <Time at={at} />: {fill(T.reasons[measure], figures)} {T.proposal}
    </p>
  );
}

function State({ automatic }: { readonly automatic: Automatic }): ReactNode {
  const { isOn, pausedUntil, requests, knownSince } = automatic;
  return (
    <>
      {isOn && <p>{T.isOn}</p>}
      {pausedUntil !== null && (
        <p>
          {T.paused} <Time at={pausedUntil} />.
        </p>
      )}
      {requests.limit === null && (
        <p>
          {T.learning}{" "}
          {knownSince === null ? (
            T.nothingKnown
          ) : (
            <>
              {T.knownSince} <Time at={knownSince} />.
            </>
          )}
        </p>
      )}
    </>
  );
}

function shown(value: number | null): string {
  return value === null ? T.unknown : COUNT.format(value);
}

function FiguresTable({ automatic }: { readonly automatic: Automatic }): ReactNode {
  return (
    <Table columns={[T.measure, T.latest, T.usual, T.limit]}>
      {(["requests", "errors", "latencyMs"] as const).map((measure) => {
        const { latest, usual, limit } = automatic[measure];
        return (
          <tr key={measure}>
            <th scope="row">{T.measures[measure]}</th>
            <td>{shown(latest)}</td>
            <td>{shown(usual)}</td>
            <td>{shown(limit)}</td>
          </tr>
        );
      })}
    </Table>
  );
}

function Switch({ isEnabled, etag }: { readonly isEnabled: boolean; readonly etag: string | null }): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const why = useMay("firewall:write") === false ? TEXTS.attackMode.mayNotWrite : null;
  const change = useChange("PATCH /v1/attack-challenge-mode/automatic");
  const send = (): void =>
    change.mutate({
      query: { teamId, projectId },
      body: { enabled: !isEnabled },
      ...(etag !== null && { ifMatch: etag }),
    });
  return (
    <>
      {change.error && <ChangeRefusal error={change.error} retry={send} />}
      <div className="tools">
        <Button kind={isEnabled ? "plain" : "main"} disabledBecause={why} busy={change.isPending} onClick={send}>
          {isEnabled ? T.disable : T.enable}
        </Button>
      </div>
    </>
  );
}

export function AutomaticPanel(): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const query = { teamId, projectId };
  const found = useApi("GET /v1/attack-challenge-mode/automatic", { query }, { every: READ_EVERY_MS });
  if (!found.data) {
    return found.error ? <Problem error={found.error} retry={() => void found.refetch()} /> : <Skeleton rows={3} />;
  }
  const { value, etag } = found.data;
  return (
    <section className="panel">
      <h2>
        {T.title}
        <span className="badge">{value.enabled ? TEXTS.attackMode.on : TEXTS.attackMode.off}</span>
      </h2>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      <p>{T.what}</p>
      <Proposal automatic={value} />
      <State automatic={value} />
      <FiguresTable automatic={value} />
      <Switch key={projectId} isEnabled={value.enabled} etag={etag} />
    </section>
  );
}
