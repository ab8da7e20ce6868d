// Attack mode that switches itself: the switch, the figures that it goes by, and what it would have done.
import type { ReactNode } from "react";
import { useApi } from "../../../api/queries.ts";
import type { Output } from "../../../api/endpoints.ts";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { DataTable } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
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
  requests: "Requests",
  errors: "Errors of the application (5xx)",
  latencyMs: "Time until 19 of 20 responses began, ms",
};
/** Gates report every ten seconds. */
const READ_EVERY_MS = 10_000;
const COUNT = new Intl.NumberFormat("en");

type Automatic = Output<"GET /v1/attack-challenge-mode/automatic">;

function Proposal({ automatic: { enabled, lastUnusual } }: { readonly automatic: Automatic }): ReactNode {
  if (enabled || lastUnusual === null) return null;
  const { at, measure, measured, usual } = lastUnusual;
  return (
    <p className="notice">
      It would have switched attack mode on <Time at={at} />:{" "}
      {REASONS[measure](COUNT.format(measured), COUNT.format(usual))} Choose Automatic if that would have helped.
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
  return value === null ? "not known" : COUNT.format(value);
}

function FiguresTable({ automatic }: { readonly automatic: Automatic }): ReactNode {
  return (
    <DataTable
      label="Figures of a minute"
      rows={["requests", "errors", "latencyMs"] as const}
      keyOf={(measure) => measure}
      isWrapped
      columns={[
        { title: "In a minute", cell: (measure) => MEASURES[measure] },
        { title: "Now", isNumber: true, cell: (measure) => shown(automatic[measure].latest) },
        { title: "Usual at most", isNumber: true, leaves: "phone", cell: (measure) => shown(automatic[measure].usual) },
        { title: "Unusual above", isNumber: true, cell: (measure) => shown(automatic[measure].limit) },
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
      <h2>Limits</h2>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      <p>
        Automatic switches attack mode on for ten minutes when a minute is unusual for this project, and longer while
        that goes on. What people switch on stays on, and for an hour after they have switched attack mode off it stays
        off.
      </p>
      <Proposal automatic={value} />
      <State automatic={value} />
      <FiguresTable automatic={value} />
    </section>
  );
}
