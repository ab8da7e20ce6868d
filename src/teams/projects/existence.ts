// Projects are names that clients choose. A project begins with the first change of somebody who may write its firewall: whatever else
// creates one would make a mistyped name look like a protected project.
import type { Call } from "../../platform/kernel/contract.ts";
import { projectNotFound } from "../../platform/kernel/errors.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { hasPermission } from "../../platform/kernel/permission.ts";
import { limitReached } from "../../platform/kernel/storage-limits.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { DEFAULT_PROJECT } from "../../platform/kernel/project.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { countProjects, findProject, insertProject } from "./store.ts";

/** For reads and reports, which never begin a project. `field` is that of a filter. */
export async function requireProject(tx: Tx, { ownerId, projectId }: ProjectKey, field?: string): Promise<void> {
  if ((await findProject(tx, { ownerId, id: projectId })) === undefined) throw projectNotFound(projectId, field);
}

/** For a filter that finds nothing: a mistyped project is told. The one of requests that name none need not have begun. */
export async function requireFiltered(tx: Tx, key: ProjectKey, field: string): Promise<void> {
  if (key.projectId !== DEFAULT_PROJECT) await requireProject(tx, key, field);
}

/**
 * Inserts the project unless it exists; without the permission `firewall:write` it must exist. Every write that stores something under a
 * project calls this first. Resolves to whether it is new.
 */
export async function beginProject(
  tx: Tx,
  { scope, now, instance }: Pick<Call, "scope" | "now" | "instance">,
  projectId: string,
): Promise<boolean> {
  const { ownerId, team } = scope;
  if (!hasPermission(scope, "firewall:write")) {
    await requireProject(tx, { ownerId, projectId });
    return false;
  }
  if (await findProject(tx, { ownerId, id: projectId })) return false;
  const isNew = await insertProject(tx, {
    ownerId,
    id: projectId,
    teamId: team?.id ?? null,
    userId: team ? null : ownerId,
    now,
    position: positionAt(now),
  });
  if (isNew === 0) return false;
  const limit = instance.storageLimits.projects;
  const projects = await countProjects(tx, { ownerId, limit: limit + 1 });
  if ((projects?.count ?? 0) > limit) {
    throw limitReached(instance.storageLimits, "projects", "use one that is there");
  }
  return true;
}
