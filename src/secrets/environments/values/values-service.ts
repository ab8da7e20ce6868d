// Hands the values of an environment to an application: all or none, with one event, or 304 without one.
import { hash } from "node:crypto";
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import { requirePermission } from "../../../platform/kernel/permission.ts";
import { entityTag, namesTag } from "../../../platform/kernel/revision.ts";
import { renderEnvText } from "../../../platform/kernel/text/env-text.ts";
import { requireProject } from "../../../teams/projects/existence.ts";
import { findReadable, openValues } from "./read-values.ts";
import type { Readable } from "./read-values.ts";
import type { environmentValuesContract } from "./values-contract.ts";

type ValuesCall = Call<typeof environmentValuesContract.getEnvironmentValues>;

/** The names that the query chooses; null: all. */
function namesOf({ names }: ValuesCall["query"]): ReadonlySet<string> | null {
  return names === undefined ? null : new Set(names.split(",").map((name) => name.trim()));
}

/**
 * A digest of all that the response depends on, without values. With times, because versions are counted anew after an older state of
 * the database was restored.
 */
function tagOf(call: ValuesCall, { line, chosen, secrets }: Readable): string {
  const { format = "json" } = call.query;
  const environments = line.map(({ name, version, row }) => [name, version, row?.updatedAt ?? 0]);
  const read = chosen.map(({ key, entry }) => {
    const secret = entry.secret === undefined ? undefined : secrets.get(entry.secret);
    return [key, secret?.id, secret?.version, secret?.updatedAt];
  });
  return hash("sha256", JSON.stringify([call.scope.ownerId, call.params, format, environments, read]), "base64url");
}

export const environmentValuesService: Implements<typeof environmentValuesContract> = {
  async getEnvironmentValues(tx, call) {
    requirePermission(call.scope, "secret:reveal");
    await requireProject(tx, { ownerId: call.scope.ownerId, projectId: call.params.project });
    const readable = await findReadable(tx, call, call.params, namesOf(call.query));
    const contentTag = tagOf(call, readable);
    if (call.ifNoneMatch !== null && namesTag(call.ifNoneMatch, entityTag(contentTag))) {
      return { rendered: "", contentTag };
    }
    const values = await openValues(tx, call, readable);
    if (values instanceof ApiError) return values;
    if (call.query.format === "env") return { rendered: renderEnvText(values), mediaType: "text/plain", contentTag };
    return { rendered: JSON.stringify(Object.fromEntries(values)), contentTag };
  },
};
