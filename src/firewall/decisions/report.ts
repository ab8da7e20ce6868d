// The handler that stores a report of sampled decisions.
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { redactStep } from "../evaluator/redact-step.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { createRedactor } from "../../platform/kernel/text/redact.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { requireProject } from "../../teams/projects/existence.ts";
import { projectKeyOf } from "../../platform/kernel/project.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import type { decisionsContract } from "./contract.ts";
import { KEPT_DAYS, MAX_AHEAD_MINUTES, MAX_BYTES, MAX_STORED } from "./decision-schema.ts";
import { deleteBeyond, deleteBeyondOfOwner, findStored, findTaken, insertDecisions } from "./store.ts";
import type { Cause, DecisionAction } from "../evaluator/decision.ts";

interface Decided {
  readonly action: DecisionAction;
  readonly wouldBe: DecisionAction | null;
  readonly by: Cause | null;
  readonly logged: readonly Cause[];
}

/** The action, or `log` for a request that was let through although a step matched, as in the traffic. */
function outcomeOf({ action, wouldBe, logged }: Decided): string {
  return action === "allow" && (wouldBe !== null || logged.length > 0) ? "log" : action;
}

/** The rule that decided, else the first one that logged. */
function ruleOf({ by, logged }: Decided): string | null {
  return by?.id ?? logged[0]?.id ?? null;
}

type ReportCall = Call<typeof decisionsContract.reportGateDecisions>;
type Reported = ReportCall["body"]["decisions"][number];

/** Positions of one millisecond. */
const PER_MS = 1_000;

function check({ body, now }: ReportCall): void {
  body.decisions.forEach((decision, index) => {
    const field = `body.decisions[${index}]`;
    const { at } = decision;
    if (at < now - KEPT_DAYS * DAY_MS || at > now + MAX_AHEAD_MINUTES * MINUTE_MS) {
      throw fieldError(
        "bad_request",
        `${field}.at`,
        `expected a time within the last ${KEPT_DAYS} days, in ms since the epoch`,
      );
    }
    if (Buffer.byteLength(JSON.stringify(decision)) > MAX_BYTES) {
      throw fieldError("bad_request", field, `expected at most ${MAX_BYTES} bytes as JSON`);
    }
  });
}

/** A gate has redacted it. Who reports otherwise than a gate does may not have. */
function redact(decision: Reported): Reported {
  const redactor = createRedactor();
  const headers = decision.headers.map(({ name, value }) => ({ name, value: redactor.header(name, value) }));
  return {
    ...decision,
    headers,
    target: redactor.target(decision.target),
    ...(decision.detail !== undefined && { detail: redactor.text(decision.detail) }),
    userAgent: decision.userAgent === null ? null : redactor.text(decision.userAgent),
    steps: decision.steps === null ? null : decision.steps.map((step) => redactStep(step, redactor)),
  };
}

/** Gives each that is not stored a position of its own, by its time; leaves out those of a millisecond that has a thousand. */
async function place(tx: Tx, project: ProjectKey, decisions: readonly Reported[]) {
  const byId = new Map(decisions.map((decision) => [decision.id, decision]));
  const times = [...new Set(decisions.map(({ at }) => at))];
  const ranges = times.map((at) => ({ from: positionAt(at), to: positionAt(at) + PER_MS }));
  // Together, because statements travel to PostgreSQL.
  const [stored, taken] = await Promise.all([
    findStored(tx, { ownerId: project.ownerId, ids: JSON.stringify([...byId.keys()]) }),
    findTaken(tx, { ...project, ranges: JSON.stringify(ranges) }),
  ]);
  for (const { id } of stored) byId.delete(id);
  const free = new Map(taken.map(({ from, position }) => [from, position === null ? from : position + 1]));
  return [...byId.values()].flatMap((decision) => {
    const from = positionAt(decision.at);
    const position = free.get(from) ?? from;
    free.set(from, position + 1);
    return position < from + PER_MS ? [{ decision, position }] : [];
  });
}

function rowOf(decision: Reported, position: number) {
  const { headers, steps, omittedSteps, ...summary } = redact(decision);
  return {
    id: decision.id,
    position,
    outcome: outcomeOf(decision),
    ruleId: ruleOf(decision) ?? "",
    host: decision.host.toLowerCase(),
    summary: JSON.stringify(summary),
    details: JSON.stringify({ headers, steps, omittedSteps }),
  };
}

/** The transaction has the owner's lock, so no other report takes the same positions. */
export async function reportDecisions(tx: Tx, call: ReportCall) {
  check(call);
  const project = projectKeyOf(call);
  await requireProject(tx, project);
  const placed = await place(tx, project, call.body.decisions);
  const rows = placed.map(({ decision, position }) => rowOf(decision, position));
  if (rows.length === 0) return { ok: true, stored: 0 };
  await insertDecisions(tx, { ...project, rows: JSON.stringify(rows) });
  await deleteBeyond(tx, { ...project, kept: MAX_STORED });
  await deleteBeyondOfOwner(tx, { ownerId: project.ownerId, kept: call.instance.storageLimits.samples });
  return { ok: true, stored: rows.length };
}
