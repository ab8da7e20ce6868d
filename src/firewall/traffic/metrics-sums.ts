// Reads the sums of a metrics query: by hour, which is exact for actions and rules, or by minute for finer dimensions.
import { HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { MAX_MINUTE_ENTRIES } from "./metrics-contract.ts";
import type { BucketSum } from "./metrics-rules.ts";
import { sumRules } from "./rule-sums-store.ts";
import { listEntries, listMinutes } from "./store.ts";
import { hourOf, minuteOf } from "./sum-rules.ts";
import { KEPT_DAYS } from "./traffic-schema.ts";

const MAX_MINUTES = (KEPT_DAYS * 24 + 1) * (HOUR_MS / MINUTE_MS);

export interface Range {
  readonly from: number;
  readonly to: number;
  /** Length of a bucket in ms. */
  readonly span: number;
}

export async function readHourSums(
  tx: Tx,
  project: ProjectKey,
  range: Range,
  byRule: boolean,
): Promise<readonly BucketSum[]> {
  const rows = await sumRules(tx, { ...project, ...range, from: hourOf(range.from), byRule: byRule ? 1 : 0 });
  return rows.map((row) => ({ ...row, host: "", ip: "" }));
}

/** The sums of the latest minutes whose entries one request may read. */
export async function readMinuteSums(tx: Tx, project: ProjectKey, range: Range): Promise<readonly BucketSum[]> {
  const bounds = { ...project, from: minuteOf(range.from), to: range.to - 1 };
  const entries = await listEntries(tx, { ...bounds, limit: MAX_MINUTE_ENTRIES });
  const last = entries.at(-1);
  // The limit may have cut off entries of the earliest minute, so that minute is left out.
  const from = last && entries.length === MAX_MINUTE_ENTRIES ? last.minute + MINUTE_MS : bounds.from;
  const whole = entries.filter(({ minute }) => minute >= from);
  const allowed = new Map<number, number>();
  for (const { minute, total } of await listMinutes(tx, { ...bounds, from, limit: MAX_MINUTES })) {
    allowed.set(minute, total);
  }
  // Every request is in the total of its minute, and all but the allowed ones have entries.
  for (const { minute, count } of whole) allowed.set(minute, (allowed.get(minute) ?? 0) - count);
  const startOf = (minute: number) => minute - (minute % range.span);
  const rest = [...allowed].filter(([, count]) => count > 0);
  return [
    ...whole.map(({ minute, ...entry }) => ({ ...entry, start: startOf(minute) })),
    ...rest.map(([minute, count]) => ({
      start: startOf(minute),
      action: "allow",
      ruleId: "",
      host: "",
      ip: "",
      count,
    })),
  ];
}
