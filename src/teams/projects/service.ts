// Handlers of projects.
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { fieldError, notFound } from "../../platform/kernel/errors.ts";
import { isWithin, limitOf } from "../../platform/kernel/limits.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { attackModeAt } from "./attack-mode-rules.ts";
import { emit } from "../../events/events/emit.ts";
import type { projectsContract } from "./contract.ts";
import { beginProject } from "./existence.ts";
import { isProjectName } from "../../platform/kernel/project.ts";
import { paginateFiltered, paginateKnown } from "../../platform/store/search/find.ts";
import type { FoundPage } from "../../platform/store/search/find.ts";
import { findProject, findProjectPosition, listProjects, searchProjects } from "./store.ts";
import type { ProjectRow } from "./store.ts";

function attackModeOf(row: ProjectRow, now: number) {
  const { modeIsEnabled, modeActiveUntil, modeUpdatedAt, modeRevision } = row;
  if (modeIsEnabled === null || modeUpdatedAt === null || modeRevision === null) {
    return attackModeAt(undefined, now);
  }
  const stored = { isEnabled: modeIsEnabled, activeUntil: modeActiveUntil, updatedAt: modeUpdatedAt };
  return attackModeAt({ ...stored, revision: modeRevision }, now);
}

/** A project as responses show it. `row` is undefined when nothing is stored under the name. */
function publicProject(accountId: string, id: string, row: ProjectRow | undefined, now: number) {
  if (!row) {
    const security = { attackModeEnabled: false, attackModeActiveUntil: null, firewallEnabled: false };
    return { id, name: id, accountId, security };
  }
  const mode = attackModeOf(row, now);
  const { firewallVersion: version, firewallActivatedAt: activatedAt, draftUpdatedAt: draftedAt } = row;
  return {
    id,
    name: id,
    accountId,
    createdAt: row.createdAt,
    updatedAt: Math.max(row.createdAt, mode.updatedAt ?? 0, activatedAt ?? 0, draftedAt ?? 0),
    security: {
      attackModeEnabled: mode.isEnabled,
      ...(mode.updatedAt === null ? {} : { attackModeUpdatedAt: mode.updatedAt }),
      attackModeActiveUntil: mode.activeUntil,
      firewallEnabled: row.firewallIsEnabled === 1,
      ...(activatedAt === null ? {} : { firewallUpdatedAt: activatedAt }),
      ...(version === null ? {} : { firewallConfigVersion: version }),
      ...(draftedAt === null ? {} : { firewallDraftUpdatedAt: draftedAt }),
    },
  };
}

/** Throws `not_found` for an invalid name: clients look up a project by the name of the local folder. */
function readName({ idOrName }: { readonly idOrName: string }): string {
  if (!isProjectName(idOrName)) throw notFound("Project");
  return idOrName;
}

/** A page of the projects that the caller may know of. */
async function readPage(
  tx: Tx,
  { caller, scope: { ownerId }, query: { search = "" } }: Call<typeof projectsContract.listProjects>,
  bounds: PageBounds,
): Promise<FoundPage<ProjectRow>> {
  if (limitOf(caller.limits, "project") !== null) {
    const isFound = ({ id }: ProjectRow) =>
      isWithin(caller, "project", id) && id.toLowerCase().includes(search.toLowerCase());
    return await paginateKnown(bounds, (batch) => listProjects(tx, ownerId, batch), isFound);
  }
  if (search === "") return { rows: await listProjects(tx, ownerId, bounds), isCut: false };
  return await paginateFiltered(bounds, {
    findPosition: (left, skip) => findProjectPosition(tx, { ownerId }, left, skip),
    read: (batch) => searchProjects(tx, ownerId, search, batch),
  });
}

export const projectsService: Implements<typeof projectsContract> = {
  async listProjects(tx, call) {
    const { scope, query, now } = call;
    const { ownerId } = scope;
    const bounds = paginationBounds(query);
    const { rows, isCut } = await readPage(tx, call, bounds);
    const { items, page } = paginate(rows, bounds, isCut);
    return {
      projects: items.map((row) => publicProject(ownerId, row.id, row, now)),
      pagination: page,
      page,
    };
  },

  async createProject(tx, call) {
    const { scope, body, now } = call;
    const { ownerId } = scope;
    const { name } = body;
    if (!(await beginProject(tx, call, name))) {
      throw fieldError("project_exists", "body.name", "there is a project of this name", { name });
    }
    await emit(tx, call, {
      type: "project",
      ownerId,
      entityId: name,
      text: `created the project ${name}`,
      payload: { projectId: name, projectName: name },
    });
    return publicProject(ownerId, name, await findProject(tx, { ownerId, id: name }), now);
  },

  async getProject(tx, { scope: { ownerId }, params, now }) {
    const id = readName(params);
    return publicProject(ownerId, id, await findProject(tx, { ownerId, id }), now);
  },
};
