// How requests name a project, and the key of what is stored under one.
import { Type } from "typebox";
import { Pattern } from "./contract.ts";
import type { Call } from "./contract.ts";

/** The project of a request that does not name one. */
export const DEFAULT_PROJECT = "default";

const PROJECT_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$";
const NAME = new RegExp(PROJECT_PATTERN);

export function ProjectName(description?: string) {
  const expected = "at most 100 letters (A to Z), digits, `_`, `.` and `-`, of which the first is a letter or a digit";
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
