// How requests name the project that they are about, and how answers show one.
import { Nullable, Pattern } from "../../kernel/contract.ts";
import type { Call } from "../../kernel/contract.ts";
import { Type } from "typebox";

/** The project of a request that names none. */
export const DEFAULT_PROJECT = "default";

const PROJECT_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$";
const NAME = new RegExp(PROJECT_PATTERN);

export function ProjectName(description?: string) {
  const expected = "at most 100 letters, digits, `_`, `.` and `-`, of which the first is a letter or a digit";
  return Pattern(PROJECT_PATTERN, expected, description === undefined ? {} : { description });
}

/** In a query or a body. */
export const PROJECT_QUERY = {
  projectId: Type.Optional(ProjectName(`Name of the project; \`${DEFAULT_PROJECT}\` by default.`)),
};

/** The project that a query or a body names. */
export function projectOf({ projectId = DEFAULT_PROJECT }: { readonly projectId?: string }): string {
  return projectId;
}

/** What is stored under a project is found by these two. */
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

const TIME = Type.Optional(Type.Integer({ description: "ms since the epoch; absent where nothing is stored." }));

export const Project = Type.Object(
  {
    id: Type.String({ description: "The name that the caller chose." }),
    name: Type.String({ description: "The same." }),
    accountId: Type.String({ description: "The team or user that it belongs to." }),
    createdAt: TIME,
    updatedAt: TIME,
    security: Type.Object(
      {
        attackModeEnabled: Type.Boolean(),
        attackModeUpdatedAt: Type.Optional(Type.Integer({ description: "Absent when it never was set." })),
        attackModeActiveUntil: Nullable(Type.Integer({ description: "When attack challenge mode ends by itself." })),
        firewallEnabled: Type.Boolean({ description: "Of the active configuration; false without one." }),
        firewallUpdatedAt: Type.Optional(Type.Integer({ description: "When that was activated." })),
        firewallConfigVersion: Type.Optional(Type.Integer({ description: "Its version." })),
      },
      { description: "What protects it." },
    ),
  },
  { title: "Project" },
);
