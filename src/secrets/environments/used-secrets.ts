// Which secrets entries of environments refer to, for the list of secrets.
import { isWithin } from "../../platform/kernel/limits.ts";
import { requirePermission } from "../../platform/kernel/permission.ts";
import { requireFiltered } from "../../teams/projects/existence.ts";
import type { FindUsed } from "../secrets/list-service.ts";
import { resolveEntries } from "./document-rules.ts";
import { loadKnown, loadLine } from "./project.ts";

/** The ids of the secrets that own and inherited entries of an environment have, or those of all environments of a project. */
export const findUsedSecrets: FindUsed = async (tx, call, place) => {
  requirePermission(call.scope, "environment:read");
  const [project = "", environment] = place.split("/");
  if (environment === undefined) {
    const { environments } = await loadKnown(tx, call, project);
    const entries = [...environments.values()].flatMap(({ content }) => [...content.entries.values()]);
    const key = { ownerId: call.scope.ownerId, projectId: project };
    if (entries.length === 0) await requireFiltered(tx, key, "query.usedIn");
    return new Set(entries.flatMap(({ secret }) => secret ?? []));
  }
  const entries = resolveEntries(await loadLine(tx, call.scope.ownerId, project, environment));
  const known = entries.filter(({ key }) => isWithin(call.caller, "name", key));
  return new Set(known.flatMap(({ entry: { secret } }) => secret ?? []));
};
