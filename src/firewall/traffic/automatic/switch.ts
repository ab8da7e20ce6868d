// Switches attack challenge mode on when a report shows something unusual, and puts off its end while that goes on. The end itself
// is the mode's own: whatever fails, it comes.
import { MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { readAutomaticState, switchOnUntil } from "../../attack-mode/automatic.ts";
import type { ProjectKey } from "../../../platform/kernel/project.ts";
import { minuteOf } from "../sum-rules.ts";
import { describeFinding, judge } from "./automatic-rules.ts";
import type { Figures, Finding } from "./automatic-rules.ts";
import { addToMinutes } from "./minutes.ts";
import type { Reported } from "./minutes.ts";
import { findAutomatic } from "./store.ts";

/** From the last minute that was unusual. */
const ON_MS = 10 * MINUTE_MS;
/** The end is put off when less than this is left, so that a long attack does not fill the events. */
const LEFT_MS = 5 * MINUTE_MS;
/** Half of a limit is calm: what falls just below the limit would pass it again. */
const CALM_SHARE = 0.5;
/** Reports come every ten seconds. What comes later tells of the past. */
const RECENT_MS = 2 * MINUTE_MS;

type Row = NonNullable<Awaited<ReturnType<typeof findAutomatic>>>;

export function usualFigures({ usualRequests: requests, usualErrors: errors, usualLatency: latency }: Row): Figures {
  return { requests, errors, latency };
}

async function switchOn(tx: Tx, project: ProjectKey, finding: Finding, now: number): Promise<void> {
  const { measure, measured, usual, limit } = finding;
  const reason = { text: describeFinding(finding), figures: { measure, measured, usual, limit } };
  await switchOnUntil(tx, project, now + ON_MS, reason, now);
}

/** Stores what a report says of its minutes, and switches the mode by it. The caller has the owner's lock. */
export async function judgeReport(
  tx: Tx,
  project: ProjectKey,
  reported: Omit<Reported, "isModeOn">,
  now: number,
): Promise<void> {
  const mode = await readAutomaticState(tx, project, now);
  const row = await findAutomatic(tx, project);
  const isWatched = row?.isEnabled === 1;
  if (!isWatched && !mode.isEnabled && reported.responses.length === 0) return;
  const minutes = await addToMinutes(tx, project, { ...reported, isModeOn: mode.isEnabled });
  if (!isWatched || (mode.isEnabled ? !mode.isAutomatic : mode.pausedUntil !== null)) return;
  if (mode.activeUntil !== null && mode.activeUntil - now > LEFT_MS) return;
  const usual = usualFigures(row);
  const recent = minutes.filter(({ minute }) => minute >= minuteOf(now) - RECENT_MS);
  for (const minute of recent) {
    const finding = judge(minute, usual, mode.isEnabled ? CALM_SHARE : 1);
    if (finding) return await switchOn(tx, project, finding, now);
  }
}
