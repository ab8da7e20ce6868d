// The body of `/health/ready`.
import { ApiError } from "../kernel/errors.ts";
import type { FailedCheck } from "../operations/operation-runner.ts";

/** Failed checks by their names. */
function describeChecks(failedChecks: readonly FailedCheck[]) {
  return Object.fromEntries(failedChecks.map(({ check, code, advice }) => [check, { code, advice }]));
}

/** Throws `not_ready` when a failed check is fatal. */
export function describeReadiness(failedChecks: readonly FailedCheck[]) {
  if (failedChecks.length === 0) return { status: "ready" };
  const fatal = failedChecks.filter(({ isFatal }) => isFatal);
  if (fatal.length === 0) return { status: "ready", checks: describeChecks(failedChecks) };
  // Two checks may find the same.
  const codes = [...new Set(fatal.map(({ code }) => code))].join(", ");
  throw new ApiError("not_ready", `Not ready: ${codes}`, { checks: describeChecks(fatal) });
}
