// Projects are names that clients choose. A project exists as soon as something is stored under it.
import type { Call } from "../../kernel/contract.ts";
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { ProjectKey } from "./project-schema.ts";
import { findProject, insertProject } from "./store.ts";

/** Whether anything is stored under the project. */
export async function isProject(tx: Tx, { ownerId, projectId }: ProjectKey): Promise<boolean> {
  return (await findProject(tx, { ownerId, id: projectId })) !== undefined;
}

/** Inserts the project unless it exists. Every write that stores something under a project calls this first. */
export async function noteProject(
  tx: Tx,
  { scope, now }: Pick<Call, "scope" | "now">,
  projectId: string,
): Promise<void> {
  const { ownerId, team } = scope;
  await insertProject(tx, {
    ownerId,
    id: projectId,
    teamId: team?.id ?? null,
    userId: team ? null : ownerId,
    now,
    position: positionAt(now),
  });
}
