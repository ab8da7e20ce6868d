// How requests name the project that they are about.
import { Type } from "../../kernel/schema.ts";

/** The project of a request that names none. */
export const DEFAULT_PROJECT = "default";

const FORM = {
  pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$",
  description: `Name of the project, at most 100 letters, digits, \`_\`, \`.\` and \`-\`; \`${DEFAULT_PROJECT}\` by default.`,
};

/** In a query or a body. */
export const PROJECT_QUERY = { projectId: Type.Optional(Type.String(FORM)) };

/** The project that a query or a body names. */
export function projectOf({ projectId = DEFAULT_PROJECT }: { readonly projectId?: string }): string {
  return projectId;
}
