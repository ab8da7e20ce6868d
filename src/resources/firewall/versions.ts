// Making and activating versions: the only places where what protects a project changes.
import { costOf } from "../../evaluator/cost.ts";
import type { Caller } from "../../kernel/caller.ts";
import type { Call } from "../../kernel/contract.ts";
import { ApiError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import { noteProject } from "../projects/note.ts";
import { LIMITS } from "./config-schema.ts";
import { EMPTY } from "./content-rules.ts";
import type { Content, Stamp } from "./content-rules.ts";
import { diffContents } from "./diff-rules.ts";
import type { Difference } from "./diff-rules.ts";
import { activeContent, documentOf } from "./document.ts";
import { throwErrors } from "./parse-rules.ts";
import { activateVersion, findFirewall, insertFirewall, insertVersion } from "./store.ts";
import type { FirewallRow } from "./store.ts";

/** Differences that an event names; the versions themselves stay for whoever wants all. */
const MAX_EVENT_CHANGES = 100;

/** The part of a call that a change needs. */
export type ChangeCall = Pick<Call, "scope" | "caller" | "origin" | "now" | "instance">;

/** A project's firewall as a change finds it. */
export interface FirewallState {
  readonly projectId: string;
  readonly row: FirewallRow;
  /** The active content; null when no version is active. */
  readonly active: Content | null;
}

export function authorOf({ account, keyName }: Caller): { readonly id: string | null; readonly name: string } {
  return { id: account?.id ?? null, name: keyName ?? account?.username ?? "Reeve" };
}

export function stampOf({ caller, now }: Pick<Call, "caller" | "now">): Stamp {
  const { id, name } = authorOf(caller);
  return { updatedAt: new Date(now).toISOString(), ...(id !== null && { userId: id }), username: name };
}

/** Reads a firewall for a change, and makes its row when there is none yet. */
export async function getOrCreateFirewall(tx: Tx, call: ChangeCall, projectId: string): Promise<FirewallState> {
  const { ownerId } = call.scope;
  const found = await findFirewall(tx, { ownerId, projectId });
  if (!found) {
    await noteProject(tx, call, projectId);
    await insertFirewall(tx, { ownerId, projectId });
  }
  const row: FirewallRow | undefined = found ?? (await findFirewall(tx, { ownerId, projectId }));
  if (!row) throw new Error(`no firewall of ${projectId} after it was made`);
  return { projectId, row, active: activeContent(row) };
}

/** What a content costs a request; refuses one that costs too much. */
export function requireCost(content: Content, { firewallCostLimit: limit }: Call["instance"]): number {
  const cost = costOf(content);
  if (cost <= limit) return cost;
  throw new ApiError(
    "firewall_too_costly",
    `expected a cost of at most ${limit}, got ${cost}: use fewer conditions and shorter expressions`,
    { cost, limit },
  );
}

/** The JSON of a document and its size; refuses one that a PUT could not bring back. */
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
  return { json, size };
}

/** What an event says of one difference. */
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
  const previousVersion = row.active_version;
  await emit(tx, call, {
    type: "firewall-config-promoted",
    ownerId: call.scope.ownerId,
    entityId: projectId,
    text: `${restore ? "restored" : "activated"} version ${version} of the firewall of ${projectId}`,
    payload: { projectId, projectName: projectId, configVersion: version, previousVersion, restore },
  });
}

/**
 * Makes a version of a content and activates it; answers its document, or null when it says what the active one says.
 */
export async function addVersion(
  tx: Tx,
  call: ChangeCall,
  firewall: FirewallState,
  content: Content,
  note: string | null,
): Promise<{ readonly version: number; readonly json: string } | null> {
  const { projectId, row, active } = firewall;
  const { ownerId } = call.scope;
  const differences = diffContents(active ?? EMPTY, content);
  if (active && differences.length === 0) return null;
  const author = authorOf(call.caller);
  const metadata = {
    ownerId,
    projectId,
    id: newId("firewallVersion"),
    version: row.last_version + 1,
    updatedAt: call.now,
    note,
    basedOn: row.active_version,
    changeCount: differences.length,
    cost: requireCost(content, call.instance),
    createdBy: author,
  };
  const { version } = metadata;
  const { json, size } = renderDocument(documentOf(metadata, content));
  await insertVersion(tx, {
    ownerId,
    projectId,
    version,
    id: metadata.id,
    basedOn: metadata.basedOn,
    isEnabled: content.firewallEnabled ? 1 : 0,
    changeCount: metadata.changeCount,
    cost: metadata.cost,
    note,
    creatorId: author.id,
    creatorName: author.name,
    now: call.now,
    position: positionAt(call.now),
    size,
    document: json,
  });
  await activateVersion(tx, { ownerId, projectId, version, lastVersion: version, now: call.now });
  await emit(tx, call, {
    type: "firewall-config-modified",
    ownerId,
    entityId: projectId,
    text: `made version ${version} of the firewall of ${projectId}`,
    payload: {
      projectId,
      projectName: projectId,
      configVersion: version,
      configChangeCount: differences.length,
      configChanges: differences.slice(0, MAX_EVENT_CHANGES).map(eventChange),
      restore: false,
      ...(note !== null && { note }),
    },
  });
  await emitPromoted(tx, call, firewall, version, false);
  return { version, json };
}

/** Makes an earlier version the active one again. */
export async function restoreVersion(
  tx: Tx,
  call: ChangeCall,
  firewall: FirewallState,
  version: number,
): Promise<void> {
  const { projectId, row } = firewall;
  const { ownerId } = call.scope;
  await activateVersion(tx, { ownerId, projectId, version, lastVersion: row.last_version, now: call.now });
  await emitPromoted(tx, call, firewall, version, true);
}
