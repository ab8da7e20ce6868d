// What `/health/ready` says of what is wrong.
import { ApiError } from "../kernel/errors.ts";
import type { Trouble } from "../operations/operation-runner.ts";

/** By what was looked at. */
function describeTroubles(troubles: readonly Trouble[]) {
  return Object.fromEntries(troubles.map(({ check, code, advice }) => [check, { code, advice }]));
}

/** Throws when requests can't be served. */
export function describeReadiness(troubles: readonly Trouble[]) {
  if (troubles.length === 0) return { status: "ready" };
  const fatal = troubles.filter(({ isFatal }) => isFatal);
  if (fatal.length === 0) return { status: "ready", checks: describeTroubles(troubles) };
  const codes = fatal.map(({ code }) => code).join(", ");
  throw new ApiError("not_ready", `Not ready: ${codes}`, { checks: describeTroubles(fatal) });
}
