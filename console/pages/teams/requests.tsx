// What the gates of the chosen project decided in the last day: the sums, and the hours of those that were not simply allowed.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useTeamId } from "../../api/team.ts";
import { projectHref, useProject } from "../../parts/project.tsx";
import { sentence } from "../../parts/sentence.ts";
import { formatCount } from "../../parts/numbers.ts";
import { ActionFigure } from "../firewall/action-badge.tsx";
import { DECISION_NAMES } from "../firewall/action-words.ts";
import { Hatching } from "../firewall/traffic/hatching.tsx";
import { arrange } from "../firewall/traffic/series.ts";
import { useTraffic } from "../firewall/traffic/traffic-query.ts";
import "../../style/requests.css";

const HOUR = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const HOUR_MS = 3_600_000;
const HOURS = 24;
/** Of the drawing, which is as wide as its card. */
const [STEP, BAR, HEIGHT] = [40, 29, 110];
const AXIS_STEP = 6;

const SHOWN = ["allow", "deny", "challenge", "rate_limit", "log"] as const;
/** Drawn upwards in this order; what was allowed would hide them. */
const DRAWN = ["log", "rate_limit", "challenge", "deny"] as const;
type Drawn = (typeof DRAWN)[number];

const VIEW = {
  range: "day",
  by: "action",
  filters: { action: null, rule: null, host: null, client: null },
} as const;

type Counts = Readonly<Record<Drawn, number>>;

function Bars({ hours, peak }: { readonly hours: readonly Counts[]; readonly peak: number }): ReactNode {
  return (
    <svg className="hours" viewBox={`0 0 ${HOURS * STEP} ${HEIGHT}`} preserveAspectRatio="none" height={HEIGHT}>
      <title>Requests that were not simply allowed, by hour: at most {formatCount(peak)}.</title>
      {[0, 1, 2, 3].map((line) => (
        <path key={line} className="rule" d={`M0 ${(line * HEIGHT) / 3}H${HOURS * STEP}`} />
      ))}
      {hours.map((counts, at) => {
        let below = HEIGHT;
        return DRAWN.map((action) => {
          const height = (counts[action] / peak) * HEIGHT;
          below -= height;
          return (
            <rect
              key={`${at} ${action}`}
              className={`decision-${action}`}
              x={at * STEP + (STEP - BAR) / 2}
              y={below}
              width={BAR}
              height={height}
            />
          );
        });
      })}
    </svg>
  );
}

export function Requests(): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const { found, times } = useTraffic(VIEW);
  const plotted = found.data && arrange(found.data.value, "action");
  if (!plotted || plotted.total === 0) return null;
  const seriesOf = (action: string) => plotted.series.find(({ value }) => value === action);
  const first = Math.floor(times.start / HOUR_MS) * HOUR_MS + HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, at): Counts => {
    const bucket = plotted.buckets.findIndex((start) => Math.floor(start / HOUR_MS) * HOUR_MS === first + at * HOUR_MS);
    const countOf = (action: Drawn) => seriesOf(action)?.counts[bucket] ?? 0;
    return {
      log: countOf("log"),
      rate_limit: countOf("rate_limit"),
      challenge: countOf("challenge"),
      deny: countOf("deny"),
    };
  });
  const peak = Math.max(3, ...hours.map((counts) => DRAWN.reduce((sum, action) => sum + counts[action], 0)));
  const decisions = (action: string) => projectHref(ADDRESSES.firewallDecisions, teamId, project, { action });
  const traffic = projectHref(ADDRESSES.firewallTraffic, teamId, project);
  return (
    <section className="panel">
      <header>
        <h2>
          Requests <span className="small">{project}, last 24 hours</span>
        </h2>
        <Link href={traffic}>Open traffic</Link>
      </header>
      <dl className="figures">
        {SHOWN.map((action) => (
          <ActionFigure key={action} action={action}>
            <Link href={action === "allow" ? traffic : decisions(action)}>
              {formatCount(seriesOf(action)?.total ?? 0)}
            </Link>
          </ActionFigure>
        ))}
      </dl>
      <div className="hours-plot">
        <div className="hours-y" aria-hidden="true">
          {[3, 2, 1, 0].map((third) => (
            <span key={third}>{formatCount(Math.round((peak * third) / 3))}</span>
          ))}
        </div>
        <Hatching />
        <Bars hours={hours} peak={peak} />
        <div className="strip-axis" aria-hidden="true">
          {Array.from({ length: HOURS / AXIS_STEP }, (_, at) => (
            <span key={at}>{HOUR.format(first + at * AXIS_STEP * HOUR_MS)}</span>
          ))}
          <span>now</span>
        </div>
      </div>
      <footer>
        <ul className="legend">
          {DRAWN.toReversed().map((action) => (
            <li key={action}>
              <svg viewBox="0 0 12 12" aria-hidden="true">
                <rect className={`decision-${action}`} width="12" height="12" rx="3" />
              </svg>{" "}
              {sentence(DECISION_NAMES[action])}
              {action === "deny" && " (hatched)"}
            </li>
          ))}
        </ul>
        <span>Allowed requests are not drawn</span>
      </footer>
    </section>
  );
}
