// Handlers of the versions of environments.
import type { Implements } from "../../../platform/kernel/contract.ts";
import { fieldError, notFound } from "../../../platform/kernel/errors.ts";
import { newId } from "../../../platform/kernel/ids.ts";
import { paginate, paginationBounds } from "../../../platform/kernel/pagination.ts";
import { requireRevision } from "../../../platform/kernel/revision.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { requireProject } from "../../../teams/projects/existence.ts";
import { findReferenced, stateOf } from "../../secrets/references.ts";
import { storeChanges } from "../change.ts";
import { diffEntries, isAlike, parseContent, readParent, shareIds } from "../document-rules.ts";
import type { Entry } from "../document-rules.ts";
import { getEnvironment, loadForChange, loadProject, renderVersions } from "../project.ts";
import type { Environment, ProjectState } from "../project.ts";
import { findVersion, listVersions } from "../store.ts";
import type { VersionMetadata } from "../store.ts";
import { requireReferences } from "../references.ts";
import { refuseMissing } from "../values/read-values.ts";
import { differing, maskedDifferences, ownEntry, readSecretNames } from "../view.ts";
import type { environmentVersionsContract } from "./versions-contract.ts";

interface Params {
  readonly project: string;
  readonly environment: string;
}

function keyOf(ownerId: string, { project, environment }: Params) {
  return { ownerId, projectId: project, name: environment };
}

function publicVersion(row: VersionMetadata, inheritsFrom: string | null) {
  return {
    version: row.version,
    changeCount: row.changeCount,
    inheritsFrom,
    restoredFrom: row.restoredFrom,
    note: row.note,
    createdBy: { id: row.creatorId, name: row.creatorName },
    createdAt: row.createdAt,
  };
}

async function getVersion(tx: Tx, ownerId: string, params: Params, version: number) {
  const row = await findVersion(tx, { ...keyOf(ownerId, params), version });
  if (!row) throw notFound(`Version ${version}`);
  return { row, content: parseContent(row.document) };
}

const NO_ENTRIES: ReadonlyMap<string, Entry> = new Map();

/** The entries of a version, with ids that no entry of another environment has that differs. */
function restoredEntries(
  state: ProjectState,
  { name, content }: Environment,
  entries: ReadonlyMap<string, Entry>,
  now: number,
): ReadonlyMap<string, Entry> {
  const others = [...state.environments.values()].filter((one) => one.name !== name);
  return new Map(
    [...entries].map(([key, entry]) => {
      const current = content.entries.get(key);
      if (current !== undefined && isAlike(current, entry)) return [key, current];
      const rest = others.flatMap((one) => one.content.entries.get(key) ?? []);
      // A variable that got another key took its id along.
      const isElsewhere = others.some((one) =>
        [...one.content.entries].some(([other, { id }]) => other !== key && id === entry.id),
      );
      const placed = { environment: name, entry: isElsewhere ? { ...entry, id: "" } : entry };
      const ids = shareIds([placed], [], rest, () => newId("environmentEntry"));
      return [key, { ...entry, id: ids.get(name) ?? entry.id, updatedAt: now }];
    }),
  );
}

/** Refuses a version whose secrets cannot be read any more. */
async function requireSecrets(
  tx: Tx,
  ownerId: string,
  { project, environment }: Params,
  {
    version,
    entries,
    now,
  }: { readonly version: number; readonly entries: ReadonlyMap<string, Entry>; readonly now: number },
): Promise<void> {
  const ids = new Set([...entries.values()].flatMap(({ secret }) => secret ?? []));
  const secrets = await findReferenced(tx, ownerId, ids);
  const missing = [...entries].flatMap(([key, { secret: id }]) => {
    if (id === undefined) return [];
    const secret = secrets.get(id);
    const reason = stateOf(secret, now);
    // One that has expired can get another time.
    return reason === "ready" || reason === "expired" ? [] : [{ key, secret: secret?.name ?? null, reason }];
  });
  refuseMissing(`Version ${version} of ${environment} of ${project} cannot be brought back`, missing);
}

export const environmentVersionsService: Implements<typeof environmentVersionsContract> = {
  async listEnvironmentVersions(tx, { scope: { ownerId }, params, query }) {
    const bounds = paginationBounds(query);
    await requireProject(tx, { ownerId, projectId: params.project });
    getEnvironment(await loadProject(tx, ownerId, params.project), params.environment);
    const { items, page } = paginate(await listVersions(tx, keyOf(ownerId, params), bounds), bounds);
    return { versions: items.map((row) => publicVersion(row, readParent(row.head))), pagination: page, page };
  },

  async getEnvironmentVersion(tx, { scope: { ownerId }, params, now }) {
    await requireProject(tx, { ownerId, projectId: params.project });
    const { row, content } = await getVersion(tx, ownerId, params, Number(params.version));
    const names = await readSecretNames(tx, ownerId, content.entries.values(), now);
    return {
      ...publicVersion(row, content.inheritsFrom),
      entries: [...content.entries].map(([key, entry]) => ownEntry(key, entry, names)),
    };
  },

  async diffEnvironmentVersions(tx, { scope: { ownerId }, params, query, now }) {
    await requireProject(tx, { ownerId, projectId: params.project });
    const { version } = getEnvironment(await loadProject(tx, ownerId, params.project), params.environment);
    const { to = version, from = Math.max(to - 1, 0) } = query;
    const entriesOf = async (at: number) =>
      at === 0 ? NO_ENTRIES : (await getVersion(tx, ownerId, params, at)).content.entries;
    const [before, after] = [await entriesOf(from), await entriesOf(to)];
    const differences = diffEntries(before, after);
    const names = await readSecretNames(tx, ownerId, differing(differences, before, after), now);
    return { from, to, ...maskedDifferences(differences, before, after, names) };
  },

  async rollBackEnvironment(tx, call) {
    const { params, body, now, scope } = call;
    const { ownerId } = scope;
    const state = await loadForChange(tx, ownerId, params.project);
    const environment = getEnvironment(state, params.environment);
    const { name, version: previousVersion, content } = environment;
    requireRevision(call, previousVersion);
    if (body.expectedVersion !== undefined && body.expectedVersion !== previousVersion) {
      const problem = `expected ${previousVersion}, the current one, got ${body.expectedVersion}`;
      throw fieldError("version_conflict", "body.expectedVersion", problem, { currentVersion: previousVersion });
    }
    const stored = await getVersion(tx, ownerId, params, body.version);
    const entries = restoredEntries(state, environment, stored.content.entries, now);
    const restored = { ...content, entries };
    requireReferences(call, state, new Map([[name, restored]]));
    await requireSecrets(tx, ownerId, params, { version: body.version, entries, now });
    const differences = diffEntries(content.entries, entries);
    const change = { environment, content: restored, differences, restoredFrom: body.version, note: body.note };
    // What is too large is refused in a dry run too.
    if (call.query.dryRun) renderVersions(state, new Map([[name, restored]]));
    const names = await readSecretNames(tx, ownerId, differing(differences, content.entries, entries), now);
    const versions = call.query.dryRun ? null : await storeChanges(tx, call, state, [change]);
    const version = versions?.get(name) ?? previousVersion;
    const masked = maskedDifferences(differences, content.entries, entries, names);
    return { name, previousVersion, version, ...masked, revision: version };
  },
};
