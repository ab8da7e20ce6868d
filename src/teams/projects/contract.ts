// Endpoints of projects: names under which configurations are stored, in the reduced form that clients need.
import { defineContract, Nullable } from "../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { Type } from "typebox";
import { ProjectName } from "../../platform/kernel/project.ts";

/** Of what a platform knows of a project, and Reeve does not. */
const UNKNOWN = { description: "Only for the SDK that requires it; it says nothing." };
const Regions = Type.Optional(Type.Object({ functionDefaultRegions: Type.Array(Type.String()) }, UNKNOWN));

const TIME = Type.Optional(Type.Integer({ description: "ms since the epoch; absent when nothing is stored." }));

const Project = Type.Object(
  {
    id: Type.String({ description: "The name of the project." }),
    name: Type.String({ description: "The same as `id`." }),
    accountId: Type.String({ description: "The team or user that owns the project." }),
    createdAt: TIME,
    updatedAt: TIME,
    security: Type.Object(
      {
        attackModeEnabled: Type.Boolean(),
        attackModeUpdatedAt: Type.Optional(Type.Integer({ description: "Absent when it was never set." })),
        attackModeActiveUntil: Nullable(Type.Integer({ description: "The time at which attack challenge mode ends." })),
        firewallEnabled: Type.Boolean({
          description: "Whether the active configuration is enabled; false without one.",
        }),
        firewallUpdatedAt: Type.Optional(
          Type.Integer({ description: "The time at which that configuration was activated." }),
        ),
        firewallConfigVersion: Type.Optional(Type.Integer({ description: "Its version." })),
        firewallDraftUpdatedAt: Type.Optional(
          Type.Integer({ description: "The time of the last change of the draft; absent without one." }),
        ),
      },
      { description: "The protection of the project." },
    ),
    alias: Type.Optional(Type.Array(Type.String(), UNKNOWN)),
    nodeVersion: Type.Optional(Type.String(UNKNOWN)),
    directoryListing: Type.Optional(Type.Boolean(UNKNOWN)),
    deploymentExpiration: Type.Optional(Type.Object({}, UNKNOWN)),
    resourceConfig: Regions,
    defaultResourceConfig: Regions,
  },
  { title: "Project" },
);

const TAG = "Projects";
const ACCESS = { kind: "owner", permission: "firewall:read" } as const;

/** Existing clients mix versions. */
const alsoAt = (rest: string) => ["/v10/projects", "/v8/projects", "/v1/projects", "/projects"].map((at) => at + rest);

export const projectsContract = defineContract({
  listProjects: {
    method: "GET",
    path: "/v9/projects",
    aliases: alsoAt(""),
    tag: TAG,
    summary: "List projects, newest first",
    description:
      "The projects of the team in the query, else of the caller's account, under which something is stored.",
    access: ACCESS,
    limits: { project: "handler" },
    query: Type.Object({
      ...PAGE_QUERY,
      search: Type.Optional(
        Type.String({ maxLength: 100, description: "Only projects whose name contains this, ignoring case." }),
      ),
    }),
    example: { query: { search: "shop" } },
    response: Type.Object({ projects: Type.Array(Project), pagination: Pagination }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  createProject: {
    method: "POST",
    path: "/v11/projects",
    aliases: ["/v10/projects", "/v9/projects", "/v1/projects", "/projects"],
    tag: TAG,
    gives: "nothing",
    summary: "Create a project with nothing in it",
    description:
      "A project also begins with the first change of its firewall or its environments, so no client needs this.",
    access: { kind: "owner", permission: "firewall:write" },
    limits: { project: "body.name" },
    changesOwnerOnly: true,
    body: Type.Object({ name: ProjectName() }, { additionalProperties: false }),
    example: { body: { name: "shop" } },
    response: Project,
    errors: ["project_exists"],
    emits: ["project"],
  },
  getProject: {
    method: "GET",
    path: "/v9/projects/:idOrName",
    aliases: alsoAt("/:idOrName"),
    tag: TAG,
    summary: "One project and its protection",
    description:
      "A project is a name that clients choose. It begins with the first change of somebody with the permission firewall:write. Every " +
      "valid name has a response, which shows what is stored under it.",
    access: ACCESS,
    limits: { project: "params.idOrName" },
    params: Type.Object({ idOrName: Type.String({ maxLength: 256 }) }),
    response: Project,
    errors: [],
    emits: [],
  },
});
