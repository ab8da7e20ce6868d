// Creates and activates versions. No other code changes the active configuration of a project.
import { costOf } from "../evaluator/cost.ts";
import type { Caller } from "../../platform/kernel/caller.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { positionAt } from "../../platform/kernel/pagination.ts";
import { measureJson } from "../../platform/kernel/text/json-size.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { beginProject } from "../../teams/projects/existence.ts";
import { LIMITS } from "./config-schema.ts";
import { EMPTY } from "./content-rules.ts";
import type { Content, Stamp } from "./content-rules.ts";
import { diffContents } from "./diff-rules.ts";
import type { Difference } from "./diff-rules.ts";
import { activeContent, documentOf } from "./document.ts";
import type { VersionMetadata } from "./document.ts";
import { makeRoom } from "./history.ts";
import { throwErrors } from "./parse-rules.ts";
import { activateVersion, findFirewall, insertFirewall, insertVersion } from "./store.ts";
import type { FirewallRow } from "./store.ts";

/** The most differences that an event lists. The versions show them all. */
const MAX_EVENT_CHANGES = 100;

export type ChangeCall = Pick<Call, "scope" | "caller" | "origin" | "now" | "instance">;

/** The firewall of a project as a change finds it. */
export interface FirewallState {
  readonly projectId: string;
  readonly row: FirewallRow;
  /** The content of the active version; null when no version is active. */
  readonly active: Content | null;
}

export function authorOf({ account, keyName }: Caller): { readonly id: string | null; readonly name: string } {
  return { id: account?.id ?? null, name: keyName ?? account?.username ?? "Reeve" };
}

export function stampOf({ caller, now }: Pick<Call, "caller" | "now">): Stamp {
  const { id, name } = authorOf(caller);
  return { updatedAt: new Date(now).toISOString(), ...(id !== null && { userId: id }), username: name };
}

/** Reads a firewall for a change. Inserts its row when there is none yet. */
export async function getOrCreateFirewall(tx: Tx, call: ChangeCall, projectId: string): Promise<FirewallState> {
  const { ownerId } = call.scope;
  const found = await findFirewall(tx, { ownerId, projectId });
  if (!found) {
    await beginProject(tx, call, projectId);
    await insertFirewall(tx, { ownerId, projectId });
  }
  const row: FirewallRow | undefined = found ?? (await findFirewall(tx, { ownerId, projectId }));
  if (!row) throw new Error(`no firewall of ${projectId} after it was made`);
  return { projectId, row, active: activeContent(row) };
}

/**
 * Throws unless the active version is the one that the request expects by `If-Match` (412) or `expectedVersion` (409), so that
 * no concurrent change is lost. Versions never change, so their numbers serve as entity tags; 0: no version is active.
 */
export function requireActive(
  call: { readonly ifMatch: string | null },
  { activeVersion }: Pick<FirewallRow, "activeVersion">,
  expectedVersion: number | undefined,
): void {
  const current = activeVersion ?? 0;
  requireRevision(call, current, activeVersion !== null);
  if (expectedVersion === undefined || expectedVersion === current) return;
  throw fieldError(
    "version_conflict",
    "body.expectedVersion",
    `expected ${current}, the active one, got ${expectedVersion}`,
    { currentVersion: current },
  );
}

/**
 * Returns the cost of a content per request. Throws `firewall_too_costly` when it exceeds the limit, unless it costs less than `before`:
 * the operator may have lowered the limit.
 */
export function requireCost(
  content: Content,
  { firewallCostLimit: limit }: Call["instance"],
  before: Content | null = null,
): number {
  const cost = costOf(content);
  if (cost <= limit || (before && cost < costOf(before))) return cost;
  throw new ApiError(
    "firewall_too_costly",
    `expected a cost of at most ${limit}, got ${cost}: use fewer conditions and shorter expressions`,
    { cost, limit },
  );
}

/** Returns the JSON of a document and its size. Throws when a PUT could not send it back, because it is too large. */
export function renderDocument(document: ReturnType<typeof documentOf>): {
  readonly json: string;
  readonly size: number;
} {
  const json = JSON.stringify(document);
  const size = Buffer.byteLength(json);
  if (size > LIMITS.documentBytes) {
    const message = `expected a configuration of at most ${LIMITS.documentBytes} bytes as JSON, got ${size}`;
    throwErrors([{ field: "body", message }]);
  }
  const most = LIMITS.documentContainers;
  // Each takes two bytes at least.
  if (size > 2 * most && measureJson(Buffer.from(json)).containers > most) {
    throwErrors([{ field: "body", message: `expected a configuration of at most ${most} arrays and objects as JSON` }]);
  }
  return { json, size };
}

/** A difference as events list it. */
function eventChange({ kind, part, id }: Difference) {
  return { action: `${part}.${kind}`, ...(id !== undefined && { id }) };
}

async function emitPromoted(
  tx: Tx,
  call: ChangeCall,
  { projectId, row }: FirewallState,
  version: number,
  restore: boolean,
): Promise<void> {
  const previousVersion = row.activeVersion;
  await emit(tx, call, {
    type: "firewall-config-promoted",
    ownerId: call.scope.ownerId,
    entityId: projectId,
    text: `${restore ? "restored" : "activated"} version ${version} of the firewall of ${projectId}`,
    payload: { projectId, projectName: projectId, configVersion: version, previousVersion, restore },
  });
}

/** A version that is about to be stored. */
interface NewVersion {
  readonly metadata: VersionMetadata;
  readonly differences: readonly Difference[];
  readonly isEnabled: boolean;
  readonly json: string;
  readonly size: number;
}

async function emitModified(
  tx: Tx,
  call: ChangeCall,
  version: NewVersion,
  removed: Awaited<ReturnType<typeof makeRoom>>,
): Promise<void> {
  const { differences, metadata } = version;
  const { ownerId, projectId, note } = metadata;
  await emit(tx, call, {
    type: "firewall-config-modified",
    ownerId,
    entityId: projectId,
    text: `made version ${metadata.version} of the firewall of ${projectId}`,
    payload: {
      projectId,
      projectName: projectId,
      configVersion: metadata.version,
      configChangeCount: differences.length,
      configChanges: differences.slice(0, MAX_EVENT_CHANGES).map(eventChange),
      restore: false,
      ...(note !== null && { note }),
      ...(removed.length > 0 && { removedVersions: removed }),
    },
  });
}

/** Builds the next version of a content. Throws when it costs too much or is too large. */
function buildVersion(
  call: ChangeCall,
  { projectId, row, active }: FirewallState,
  content: Content,
  differences: readonly Difference[],
  note: string | null,
): NewVersion {
  const metadata: VersionMetadata = {
    ownerId: call.scope.ownerId,
    projectId,
    id: newId("firewallVersion"),
    version: row.lastVersion + 1,
    updatedAt: call.now,
    note,
    basedOn: row.activeVersion,
    changeCount: differences.length,
    cost: requireCost(content, call.instance, active),
    createdBy: authorOf(call.caller),
  };
  const document = renderDocument(documentOf(metadata, content));
  return { metadata, differences, isEnabled: content.firewallEnabled, ...document };
}

/** Stores a version and activates it. */
async function storeVersion(tx: Tx, { metadata, isEnabled, json, size }: NewVersion): Promise<void> {
  const { ownerId, projectId, version, id, updatedAt: now, note, basedOn, changeCount, cost, createdBy } = metadata;
  await insertVersion(tx, {
    ownerId,
    projectId,
    version,
    id,
    basedOn,
    isEnabled: isEnabled ? 1 : 0,
    changeCount,
    cost,
    note,
    creatorId: createdBy.id,
    creatorName: createdBy.name,
    now,
    position: positionAt(now),
    size,
    document: json,
  });
  await activateVersion(tx, { ownerId, projectId, version, lastVersion: version, now });
}

/** Creates a version of a content and activates it. Returns its document, or null when the active version is equal. */
export async function addVersion(
  tx: Tx,
  call: ChangeCall,
  firewall: FirewallState,
  content: Content,
  note: string | null,
): Promise<{ readonly version: number; readonly json: string } | null> {
  const { active } = firewall;
  const differences = diffContents(active ?? EMPTY, content);
  if (active && differences.length === 0) return null;
  const added = buildVersion(call, firewall, content, differences, note);
  const { version } = added.metadata;
  await storeVersion(tx, added);
  const removed = await makeRoom(tx, { ...added.metadata, size: added.size }, call.instance);
  await emitModified(tx, call, added, removed);
  await emitPromoted(tx, call, firewall, version, false);
  return { version, json: added.json };
}

/** Activates an earlier version again. */
export async function restoreVersion(
  tx: Tx,
  call: ChangeCall,
  firewall: FirewallState,
  version: number,
): Promise<void> {
  const { projectId, row } = firewall;
  const { ownerId } = call.scope;
  await activateVersion(tx, { ownerId, projectId, version, lastVersion: row.lastVersion, now: call.now });
  await emitPromoted(tx, call, firewall, version, true);
}
