// What `/health/ready` says of what is wrong.
import { ApiError } from "../kernel/errors.ts";
import type { FailedCheck } from "../operations/operation-runner.ts";

/** By what was looked at. */
function describeChecks(failedChecks: readonly FailedCheck[]) {
  return Object.fromEntries(failedChecks.map(({ check, code, advice }) => [check, { code, advice }]));
}

/** Throws when requests can't be served. */
export function describeReadiness(failedChecks: readonly FailedCheck[]) {
  if (failedChecks.length === 0) return { status: "ready" };
  const fatal = failedChecks.filter(({ isFatal }) => isFatal);
  if (fatal.length === 0) return { status: "ready", checks: describeChecks(failedChecks) };
  const codes = fatal.map(({ code }) => code).join(", ");
  throw new ApiError("not_ready", `Not ready: ${codes}`, { checks: describeChecks(fatal) });
}
