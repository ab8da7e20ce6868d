// Projects: what is known of them.
import type { Implements } from "../../kernel/contract.ts";
import { notFound } from "../../kernel/errors.ts";
import { cutPage, pageBounds } from "../../kernel/pagination.ts";
import type { projectsContract } from "./contract.ts";
import { isProjectName } from "./project-schema.ts";
import { findProject, listPage } from "./store.ts";
import { publicProject } from "./view.ts";

export const projectsService: Implements<typeof projectsContract> = {
  async listProjects(tx, { scope: { ownerId }, query, now }) {
    const bounds = pageBounds(query);
    const { items, page } = cutPage(await listPage(tx, { ...query, ownerId }, bounds), bounds);
    return {
      projects: items.map((row) => publicProject(ownerId, row.id, row, now)),
      pagination: page,
      page,
    };
  },

  async getProject(tx, { scope: { ownerId }, params: { idOrName: id }, now }) {
    // What cannot be a name is no project: clients look for one by whatever the folder is called.
    if (!isProjectName(id)) throw notFound("Project");
    return publicProject(ownerId, id, await findProject(tx, { ownerId, id }), now);
  },
};
