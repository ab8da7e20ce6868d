// The list of a member's roles in projects, newest last.
import { fieldError } from "../../platform/kernel/errors.ts";
import type { ProjectGrant, ProjectRole } from "../../platform/kernel/membership.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";

export const MAX_PROJECTS = 500;

export interface ProjectChange {
  readonly projectId: string;
  /** Null takes the role away. */
  readonly role: ProjectRole | null;
}

/** Applies the changes in order; a project that remains keeps its position. */
export function changeProjects(
  grants: readonly ProjectGrant[],
  changes: readonly ProjectChange[],
  now: number,
): readonly ProjectGrant[] {
  const byId = new Map(grants.map((grant) => [grant.projectId, grant]));
  let last = grants.at(-1)?.position ?? 0;
  for (const { projectId, role } of changes) {
    if (role === null) {
      byId.delete(projectId);
      continue;
    }
    const known = byId.get(projectId);
    if (!known) last = Math.max(positionAt(now), last + 1);
    byId.set(projectId, { projectId, role, position: known?.position ?? last });
  }
  if (byId.size > MAX_PROJECTS) {
    throw fieldError("too_many_projects", "body.projects", `a member has roles in at most ${MAX_PROJECTS} projects`);
  }
  return [...byId.values()];
}
