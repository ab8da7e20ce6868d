// Hands the values of an environment to an application: all or none, with one event, or 304 without one.
import { hash } from "node:crypto";
import type { Call, Implements } from "../../../kernel/contract.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { isWithin } from "../../../kernel/limits.ts";
import { requirePermission } from "../../../kernel/permission.ts";
import { entityTag, namesTag } from "../../../kernel/revision.ts";
import type { Tx } from "../../../kernel/tx.ts";
import { emit } from "../../events/emit.ts";
import { findReferenced, openReferenced, stateOf } from "../../secrets/references.ts";
import type { ReferencedSecret } from "../../secrets/references.ts";
import { resolveEntries } from "../document-rules.ts";
import type { Resolved } from "../document-rules.ts";
import { getEnvironment, lineOf, loadProject } from "../project.ts";
import type { Environment } from "../project.ts";
import { renderEnvText } from "../../../kernel/text/env-text.ts";
import type { environmentValuesContract } from "./values-contract.ts";

type ValuesCall = Call<typeof environmentValuesContract.getEnvironmentValues>;
type Secrets = ReadonlyMap<string, ReferencedSecret>;

/** An entry that keeps the values from being complete. */
interface Missing {
  readonly key: string;
  readonly secret: string | null;
  readonly reason: string;
}

/** The names that the query chooses; null: all. */
function namesOf({ names }: ValuesCall["query"]): ReadonlySet<string> | null {
  return names === undefined ? null : new Set(names.split(",").map((name) => name.trim()));
}

function missingOf(chosen: readonly Resolved[], names: ReadonlySet<string> | null, secrets: Secrets, now: number) {
  const keys = new Set(chosen.map(({ key }) => key));
  const absent = [...(names ?? [])].filter((name) => !keys.has(name));
  return [
    ...absent.map((key): Missing => ({ key: key.slice(0, 256), secret: null, reason: "no_entry" })),
    ...chosen.flatMap(({ key, entry }): Missing[] => {
      if (entry.secret === undefined) return [];
      const secret = secrets.get(entry.secret);
      const reason = stateOf(secret, now);
      return reason === "ready" ? [] : [{ key, secret: secret?.name ?? null, reason }];
    }),
  ];
}

const REASONS: Readonly<Record<string, string>> = {
  no_entry: "there is no such entry",
  missing: "its secret was destroyed",
  deleted: "its secret is deleted",
  not_decryptable: "its secret is not decryptable",
  expired: "its secret has expired",
};

/** Throws when values of the entries cannot be read, and names each. */
export function refuseMissing(what: string, missing: readonly Missing[]): void {
  if (missing.length === 0) return;
  const told = missing.slice(0, 10).map(({ key, reason }) => `${key} (${REASONS[reason]})`);
  const more = missing.length > told.length ? ` and ${missing.length - told.length} more` : "";
  throw new ApiError("environment_incomplete", `${what}: ${told.join(", ")}${more}`, { entries: missing });
}

/** A digest of all that the response depends on, without values. */
function tagOf(call: ValuesCall, line: readonly Environment[], chosen: readonly Resolved[], secrets: Secrets): string {
  const { format = "json" } = call.query;
  const environments = line.map(({ name, version, row }) => [name, version, row?.created_at ?? 0]);
  const read = chosen.map(({ key, entry: { secret } }) => [key, secret, secret && secrets.get(secret)?.version]);
  return hash("sha256", JSON.stringify([call.scope.ownerId, call.params, format, environments, read]), "base64url");
}

async function emitRead(
  tx: Tx,
  call: ValuesCall,
  version: number,
  chosen: readonly Resolved[],
  secrets: Secrets,
): Promise<void> {
  const { project: projectId, environment } = call.params;
  await emit(tx, call, {
    type: "environment-values-read",
    ownerId: call.scope.ownerId,
    entityId: projectId,
    text: `read ${chosen.length === 1 ? "a value" : `${chosen.length} values`} of the environment ${environment} of ${projectId}`,
    payload: {
      projectId,
      projectName: projectId,
      environment,
      version,
      names: chosen.map(({ key }) => key),
      secrets: chosen.flatMap(({ key, entry }) => {
        const secret = entry.secret === undefined ? undefined : secrets.get(entry.secret);
        return secret ? [{ key, uid: secret.id, name: secret.name, version: secret.version }] : [];
      }),
    },
  });
}

export const environmentValuesService: Implements<typeof environmentValuesContract> = {
  async getEnvironmentValues(tx, call) {
    requirePermission(call.scope, "secret:reveal");
    const { ownerId } = call.scope;
    const { project, environment: name } = call.params;
    const state = await loadProject(tx, ownerId, project);
    const { version } = getEnvironment(state, name);
    const line = lineOf(state, name);
    const names = namesOf(call.query);
    const chosen = resolveEntries(line).filter(
      ({ key }) => (names === null || names.has(key)) && isWithin(call.caller, "name", key),
    );
    const ids = new Set(chosen.flatMap(({ entry: { secret } }) => secret ?? []));
    const secrets = await findReferenced(tx, ownerId, ids);
    refuseMissing(
      `The values of ${name} of ${project} cannot be read completely`,
      missingOf(chosen, names, secrets, call.now),
    );
    const contentTag = tagOf(call, line, chosen, secrets);
    if (call.ifNoneMatch !== null && namesTag(call.ifNoneMatch, entityTag(contentTag))) {
      return { rendered: "", contentTag };
    }
    const opened = await openReferenced(tx, call, [...secrets.values()]);
    if (opened instanceof ApiError) return opened;
    const values = chosen.map(({ key, entry }): [string, string] => [
      key,
      entry.secret === undefined ? (entry.value ?? "") : (opened.get(entry.secret) as string),
    ]);
    if (chosen.length > 0) await emitRead(tx, call, version, chosen, secrets);
    if (call.query.format === "env") return { rendered: renderEnvText(values), mediaType: "text/plain", contentTag };
    return { rendered: JSON.stringify(Object.fromEntries(values)), contentTag };
  },
};
