// A project begins with its first change. Until then the API finds none, and the pages show what every project has, with nothing in it.
import { isUnknownProject } from "../../../src/client/error.ts";
import type { Fetched } from "../../api/call.ts";
import type { Output } from "../../api/endpoints.ts";

type Environment = Output<"GET /v1/environments/:project/:environment">;

/** The environments that every project has. */
const NAMES = ["production", "preview", "development"];

export function emptyEnvironments(project: string): readonly Environment[] {
  const stored = { isBuiltIn: true, inheritsFrom: null, version: 0, createdAt: null, updatedAt: null };
  return NAMES.map((name) => ({ ...stored, project, name, entryCount: 0, entries: [] }));
}

/** What the API responds; of a project that has not begun what it begins with, where it has that. */
export async function orUnbegun<T>(response: Promise<Fetched<T>>, begins: T | undefined): Promise<Fetched<T>> {
  try {
    return await response;
  } catch (error) {
    if (isUnknownProject(error) && begins !== undefined) return { value: begins, etag: null };
    throw error;
  }
}
