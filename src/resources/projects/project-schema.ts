// The schemas that name a project in requests and show it in responses.
import { Nullable, Pattern } from "../../kernel/contract.ts";
import type { Call } from "../../kernel/contract.ts";
import { Type } from "typebox";

/** The project of a request that does not name one. */
export const DEFAULT_PROJECT = "default";

const PROJECT_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$";
const NAME = new RegExp(PROJECT_PATTERN);

export function ProjectName(description?: string) {
  const expected = "at most 100 letters, digits, `_`, `.` and `-`, of which the first is a letter or a digit";
  return Pattern(PROJECT_PATTERN, expected, description === undefined ? {} : { description });
}

/** The member of a query or a body that names the project. */
export const PROJECT_QUERY = {
  projectId: Type.Optional(ProjectName(`Name of the project; \`${DEFAULT_PROJECT}\` by default.`)),
};

/** Limits to projects count for the project that the query names. */
export const PROJECT_LIMIT = { project: { at: ["query.projectId"], otherwise: DEFAULT_PROJECT } } as const;

/** The project that a query or a body names. */
export function projectOf({ projectId = DEFAULT_PROJECT }: { readonly projectId?: string }): string {
  return projectId;
}

/** The key of everything that is stored under a project. */
export interface ProjectKey {
  readonly ownerId: string;
  readonly projectId: string;
}

export function projectKeyOf({
  scope,
  query,
}: {
  readonly scope: Call["scope"];
  readonly query: { readonly projectId?: string };
}): ProjectKey {
  return { ownerId: scope.ownerId, projectId: projectOf(query) };
}

export function isProjectName(text: string): boolean {
  return NAME.test(text);
}

/** Of what a platform knows of a project, and Reeve does not. */
const UNKNOWN = { description: "Only for the SDK that requires it; it says nothing." };
const Regions = Type.Optional(Type.Object({ functionDefaultRegions: Type.Array(Type.String()) }, UNKNOWN));

const TIME = Type.Optional(Type.Integer({ description: "ms since the epoch; absent when nothing is stored." }));

export const Project = Type.Object(
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
