// Projects: what is known of them.
import type { Implements } from "../../kernel/contract.ts";
import { notFound } from "../../kernel/errors.ts";
import { cutPage, pageBounds } from "../../kernel/pagination.ts";
import type { projectsContract } from "./contract.ts";
import { isProjectName } from "./project-schema.ts";
import { fillFiltered } from "../search/find.ts";
import { findProject, findProjectEdge, listProjects, searchProjects } from "./store.ts";
import { publicProject } from "./view.ts";

/** What cannot be a name is no project: clients look for one by whatever the folder is called. */
function readName({ idOrName }: { readonly idOrName: string }): string {
  if (!isProjectName(idOrName)) throw notFound("Project");
  return idOrName;
}

export const projectsService: Implements<typeof projectsContract> = {
  async listProjects(tx, { scope: { ownerId }, query, now }) {
    const bounds = pageBounds(query);
    const { search = "" } = query;
    const { rows, isCut } =
      search === ""
        ? { rows: await listProjects(tx, ownerId, bounds), isCut: false }
        : await fillFiltered(bounds, {
            findPosition: (left, skip) => findProjectEdge(tx, ownerId, left, skip),
            read: (batch) => searchProjects(tx, ownerId, search, batch),
          });
    const { items, page } = cutPage(rows, bounds, isCut);
    return {
      projects: items.map((row) => publicProject(ownerId, row.id, row, now)),
      pagination: page,
      page,
    };
  },

  async getProject(tx, { scope: { ownerId }, params, now }) {
    const id = readName(params);
    return publicProject(ownerId, id, await findProject(tx, { ownerId, id }), now);
  },

  async pullEnvironment(_tx, { params }) {
    readName(params);
    return { env: {}, buildEnv: {} };
  },
};
