// Attack mode that switches itself: the switch, the figures that it goes by, and what it would have done.
import type { ReactNode } from "react";
import { useApi } from "../../../api/queries.ts";
import type { Output } from "../../../api/endpoints.ts";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { RowName } from "../../../parts/row-name.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { DataTable } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { formatCount } from "../../../parts/numbers.ts";
import { useFirewallQuery } from "../firewall-config.ts";

const REASONS = {
  requests: (measured: string, usual: string) =>
    `${measured} requests came in a minute, and ${usual} are usual at most.`,
  errors: (measured: string, usual: string) =>
    `${measured} responses in a minute were errors, and ${usual} are usual at most.`,
  latency: (measured: string, usual: string) =>
    `One in twenty responses took more than ${measured} ms, and ${usual} ms are usual.`,
};
const MEASURES = {
  requests: { name: "Requests", about: null },
  errors: { name: "Errors", about: "Responses of the application with 500 or more" },
  latencyMs: { name: "Slow responses", about: "Time until 19 of 20 began, ms" },
};
/** Gates report every ten seconds. */
const READ_EVERY_MS = 10_000;

type Automatic = Output<"GET /v1/attack-challenge-mode/automatic">;

function Proposal({ automatic: { enabled, lastUnusual } }: { readonly automatic: Automatic }): ReactNode {
  if (enabled || lastUnusual === null) return null;
  const { at, measure, measured, usual } = lastUnusual;
  return (
    <p className="notice">
      It would have switched attack mode on <Time at={at} />:{" "}
      {REASONS[measure](formatCount(measured), formatCount(usual))} Choose Automatic if that would have helped.
    </p>
  );
}

function State({ automatic }: { readonly automatic: Automatic }): ReactNode {
  const { isOn, pausedUntil, requests, knownSince } = automatic;
  return (
    <>
      {isOn && <p>It has switched attack mode on. Its reason is among the events.</p>}
      {pausedUntil !== null && (
        <p>
          Somebody has switched attack mode off. It may be switched on again <Time at={pausedUntil} />.
        </p>
      )}
      {requests.limit === null && (
        <p>
          What is usual is not known yet: that takes a day of reported traffic.{" "}
          {knownSince === null ? (
            "Nothing was reported so far."
          ) : (
            <>
              The first report came <Time at={knownSince} />.
            </>
          )}
        </p>
      )}
    </>
  );
}

function shown(value: number | null): string {
  return value === null ? "Not known" : formatCount(value);
}

function FiguresTable({ automatic }: { readonly automatic: Automatic }): ReactNode {
  return (
    <DataTable
      label="Figures of a minute"
      rows={["requests", "errors", "latencyMs"] as const}
      keyOf={(measure) => measure}
      isWrapped
      columns={[
        {
          title: "In a minute",
          cell: (measure) => <RowName below={MEASURES[measure].about}>{MEASURES[measure].name}</RowName>,
        },
        { title: "Now", isNumber: true, cell: (measure) => shown(automatic[measure].latest) },
        { title: "Usual", isNumber: true, leaves: "phone", cell: (measure) => shown(automatic[measure].usual) },
        { title: "Limit", isNumber: true, cell: (measure) => shown(automatic[measure].limit) },
      ]}
    />
  );
}

export function useAutomatic() {
  return useApi("GET /v1/attack-challenge-mode/automatic", { query: useFirewallQuery() }, { every: READ_EVERY_MS });
}

export function AutomaticPanel(): ReactNode {
  const found = useAutomatic();
  if (!found.data) {
    return found.error ? <Problem error={found.error} retry={() => void found.refetch()} /> : <Skeleton rows={3} />;
  }
  const { value } = found.data;
  return (
    <section className="panel">
      <h2>
        Limits <span className="small">learned from what is usual for this project</span>
      </h2>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      <Proposal automatic={value} />
      <State automatic={value} />
      <FiguresTable automatic={value} />
      <footer>
        One unusual minute switches it on for ten minutes, and longer while that goes on. For an hour after people have
        switched it off it stays off.
      </footer>
    </section>
  );
}
