// Counts what applications answer by minute: how many responses, errors among them, and how soon they began.
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { latencyIndex, noLatencies } from "../../platform/kernel/telemetry/latencies.ts";
import type { ResponseCount } from "../bundle/control-plane.ts";
import type { ProtectedProject } from "../project.ts";

export interface ResponseCounts {
  /** `tookMs`: until the response began; null: not measured. */
  count(project: ProtectedProject, status: number, tookMs: number | null): void;
  /** What was counted since the last call. */
  take(): ReadonlyMap<ProtectedProject, readonly ResponseCount[]>;
}

const FIRST_ERROR = 500;
/** More than pass between two reports, whatever the clock does; further ones are not counted. */
const MAX_MINUTES = 10;

interface Counted {
  count: number;
  errors: number;
  latencies: number[] | null;
}

export function createResponseCounts(clock: () => number): ResponseCounts {
  const pending = new Map<ProtectedProject, Map<number, Counted>>();

  function minuteOf(project: ProtectedProject): Counted | undefined {
    const minutes = pending.get(project) ?? new Map<number, Counted>();
    if (!pending.has(project)) pending.set(project, minutes);
    const at = Math.floor(clock() / MINUTE_MS) * MINUTE_MS;
    const known = minutes.get(at);
    if (known || minutes.size >= MAX_MINUTES) return known;
    const counted: Counted = { count: 0, errors: 0, latencies: null };
    minutes.set(at, counted);
    return counted;
  }

  return {
    count(project, status, tookMs) {
      const counted = minuteOf(project);
      if (!counted) return;
      counted.count++;
      if (status >= FIRST_ERROR) counted.errors++;
      if (tookMs === null) return;
      counted.latencies ??= noLatencies();
      const index = latencyIndex(tookMs);
      counted.latencies[index] = (counted.latencies[index] ?? 0) + 1;
    },
    take() {
      const taken = new Map<ProtectedProject, readonly ResponseCount[]>();
      for (const [project, minutes] of pending) {
        const counts = [...minutes].map(([at, { latencies, ...rest }]) => ({
          at,
          ...rest,
          ...(latencies && { latencies }),
        }));
        taken.set(project, counts);
      }
      pending.clear();
      return taken;
    },
  };
}
