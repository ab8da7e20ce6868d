// Which version a change was meant for: the one that is active, or nobody's change is lost.
import { fieldError } from "../../kernel/errors.ts";
import { requireRevision } from "../../kernel/revision.ts";
import type { FirewallRow } from "./store.ts";

/**
 * Refuses a change when another version is active than the request names, by `If-Match` (412) or `expectedVersion` (409).
 * Versions never change, so their numbers serve as entity tags; 0 is a project without one.
 */
export function requireActive(
  call: { readonly ifMatch: string | null },
  { active_version }: Pick<FirewallRow, "active_version">,
  expectedVersion: number | undefined,
): void {
  const current = active_version ?? 0;
  requireRevision(call, current);
  if (expectedVersion === undefined || expectedVersion === current) return;
  throw fieldError(
    "version_conflict",
    "body.expectedVersion",
    `expected ${current}, the active one, got ${expectedVersion}`,
    { currentVersion: current },
  );
}
