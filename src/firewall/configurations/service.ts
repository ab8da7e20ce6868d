// Handlers of firewall configurations.
import type { Implements } from "../../platform/kernel/contract.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import { requireAbsent, requireRevision } from "../../platform/kernel/revision.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { projectKeyOf, projectOf } from "../../platform/kernel/project.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { applyChange, parseChange } from "./change-rules.ts";
import { parseConfig } from "./config-rules.ts";
import { EMPTY, isSame, replaceContent } from "./content-rules.ts";
import type { Content } from "./content-rules.ts";
import type { firewallContract } from "./contract.ts";
import { diffContents } from "./diff-rules.ts";
import { readEngine } from "./crs-engine.ts";
import { activeContent, withEnforcement } from "./document.ts";
import { changesOf, draftDocument, getDraftRow, readDraft, rebaseDraft, requireNoConflict } from "./draft.ts";
import { getStored, readNamed } from "./named.ts";
import { parseBody } from "./parse-rules.ts";
import { readActiveDocument } from "./document-cache.ts";
import { findFirewall, listDocuments, listVersions, setDraft } from "./store.ts";
import type { FirewallRow } from "./store.ts";
import {
  addVersion,
  authorOf,
  getOrCreateFirewall,
  renderDocument,
  requireActive,
  requireCost,
  restoreVersion,
  stampOf,
} from "./versions.ts";
import type { ChangeCall, FirewallState } from "./versions.ts";

/** The most bytes of documents on one page of versions. */
const MAX_PAGE_BYTES = 4_000_000;
/** The most changes of a draft, and bytes of them: every read of the draft applies them all. */
const MAX_CHANGES = 1_000;
const MAX_DRAFT_BYTES = 1_000_000;

const NO_GENERATED_RULES = {
  error: "This server writes no rules from words. State the rule's conditions and its action yourself: /docs/firewall.",
};

async function getServed(tx: Tx, project: ProjectKey) {
  const active = await readActiveDocument(tx, project);
  if (!active) throw notFound("Firewall configuration");
  return active;
}

/** Creates a version of the content unless it equals the active one. Returns the active document. */
async function saveContent(tx: Tx, call: ChangeCall, firewall: FirewallState, content: Content, note: string | null) {
  const added = await addVersion(tx, call, firewall, content, note);
  if (added) return { rendered: withEnforcement(added.json, firewall.row.crsEngine), revision: added.version };
  // Nothing differs, so a version is active.
  const { activeDocument: document, activeVersion: version, crsEngine: engine } = firewall.row;
  return { rendered: withEnforcement(document as string, engine), revision: version as number };
}

async function emitDiscarded(tx: Tx, call: ChangeCall, row: FirewallRow, what: string): Promise<void> {
  const { ownerId, projectId } = row;
  await emit(tx, call, {
    type: "firewall-draft-discarded",
    ownerId,
    entityId: projectId,
    text: `${what} of the firewall of ${projectId}`,
    payload: {
      projectId,
      projectName: projectId,
      configChanges: changesOf(row)
        .slice(0, 100)
        .map(({ action, id }) => ({ action, id })),
    },
  });
}

async function clearDraft(tx: Tx, project: ProjectKey): Promise<void> {
  await setDraft(tx, { ...project, changes: null, note: null, creatorId: null, creatorName: null, now: null });
}

/** The rows whose documents fit on a page: at least one. */
function takeUpToSize<R extends { readonly size: number }>(rows: readonly R[]): readonly R[] {
  let bytes = 0;
  const end = rows.findIndex(({ size }, index) => (bytes += size) > MAX_PAGE_BYTES && index > 0);
  return end < 0 ? rows : rows.slice(0, end);
}

export const firewallService: Implements<typeof firewallContract> = {
  async listFirewallConfigs(tx, call) {
    const project = projectKeyOf(call);
    const bounds = paginationBounds(call.query);
    // Read the firewall first: then the active version is among the versions that are read after it.
    const firewall = await findFirewall(tx, project);
    const draft = firewall && firewall.draftChanges !== null ? readDraft(firewall) : null;
    const rows = await listVersions(tx, project, bounds);
    const fit = takeUpToSize(rows);
    const { items, page } = paginate(rows.slice(0, fit.length + 1), {
      ...bounds,
      limit: Math.min(bounds.limit, fit.length),
    });
    const versions = items.map(({ version }) => version);
    const range = { first: versions.at(-1) ?? 0, last: versions[0] ?? 0 };
    const documents = versions.length === 0 ? [] : await listDocuments(tx, { ...project, ...range });
    const engine = firewall?.crsEngine ?? null;
    const texts = documents.map(({ document }) => withEnforcement(document, engine)).join(",");
    const active = firewall?.activeDocument ?? null;
    return {
      rendered:
        `{"active":${active === null ? "null" : withEnforcement(active, engine)},` +
        `"draft":${draft === null ? "null" : withEnforcement(JSON.stringify(draft), engine)},` +
        `"versions":[${texts}],"pagination":${JSON.stringify(page)}}`,
      page,
    };
  },

  async getFirewallConfig(tx, call) {
    const project = projectKeyOf(call);
    const { configVersion } = call.params;
    if (configVersion === "draft") {
      const row = await getDraftRow(tx, project);
      return {
        rendered: withEnforcement(JSON.stringify(readDraft(row)), row.crsEngine),
        revision: row.draftRevision,
      };
    }
    if (configVersion === "active") {
      const { version, document } = await getServed(tx, project);
      return { rendered: document, revision: version };
    }
    const { version, document } = await getStored(tx, project, configVersion);
    return { rendered: withEnforcement(document, await readEngine(tx, project)), revision: version };
  },

  async putFirewallConfig(tx, call) {
    const requested = parseBody(parseConfig, call.body, "body", call.instance.firewallCostLimit);
    const firewall = await getOrCreateFirewall(tx, call, projectOf(call.query));
    requireActive(call, firewall.row, requested.expectedVersion);
    const content = replaceContent(requested, firewall.active ?? EMPTY, stampOf(call));
    const { rendered, revision } = await saveContent(tx, call, firewall, content, requested.note ?? null);
    return { rendered: `{"active":${rendered}}`, revision };
  },

  async updateFirewallConfig(tx, call) {
    const { change, note = null, expectedVersion } = parseChange(call.body, call.instance.firewallCostLimit);
    const firewall = await getOrCreateFirewall(tx, call, projectOf(call.query));
    requireActive(call, firewall.row, expectedVersion);
    const content = applyChange(firewall.active ?? EMPTY, change, stampOf(call));
    return await saveContent(tx, call, firewall, content, note);
  },

  async updateFirewallDraft(tx, call) {
    const { change, note, expectedVersion } = parseChange(call.body, call.instance.firewallCostLimit);
    const project = projectKeyOf(call);
    const { row, active } = await getOrCreateFirewall(tx, call, project.projectId);
    requireActive({ ifMatch: null }, row, expectedVersion);
    const hasDraft = row.draftChanges !== null;
    requireRevision(call, row.draftRevision, hasDraft);
    if (hasDraft) requireAbsent(call, row.draftRevision);
    const before = rebaseDraft(row, active);
    requireNoConflict(before);
    const author = authorOf(call.caller);
    const after = {
      ...row,
      draftChanges: JSON.stringify([...before.changes, change]),
      draftNote: note === undefined ? row.draftNote : note,
      draftCreatorId: author.id,
      draftCreatorName: author.name,
      draftUpdatedAt: call.now,
    };
    if (before.changes.length >= MAX_CHANGES || Buffer.byteLength(after.draftChanges) > MAX_DRAFT_BYTES) {
      throw new ApiError(
        "draft_too_large",
        `expected a draft of at most ${MAX_CHANGES} changes and ${MAX_DRAFT_BYTES} bytes: activate or discard it first`,
      );
    }
    // Throws when the change itself cannot be applied.
    const content = applyChange(before.content, change, stampOf(call));
    requireCost(content, call.instance, before.content);
    // When no version is active, even a draft without effect creates a version.
    const isNothing = isSame(content, before.content) && (active !== null || row.draftChanges !== null);
    if (isNothing && after.draftNote === row.draftNote) {
      const shown = row.draftChanges === null ? { ...after, draftChanges: null } : row;
      return {
        rendered: withEnforcement(JSON.stringify(draftDocument(shown, active, before)), row.crsEngine),
        revision: row.draftRevision,
      };
    }
    const document = draftDocument(after, active, rebaseDraft(after, active));
    // The resulting version has to be small enough to store. The changes have a limit of their own.
    renderDocument({ ...document, changes: [] });
    await setDraft(tx, {
      ...project,
      changes: after.draftChanges,
      note: after.draftNote,
      creatorId: author.id,
      creatorName: author.name,
      now: call.now,
    });
    await emit(tx, call, {
      type: "firewall-draft-modified",
      ownerId: project.ownerId,
      entityId: project.projectId,
      text: `staged ${change.action} for the firewall of ${project.projectId}`,
      payload: {
        projectId: project.projectId,
        projectName: project.projectId,
        configChanges: [{ action: change.action, id: change.id }],
      },
    });
    return { rendered: withEnforcement(JSON.stringify(document), row.crsEngine), revision: row.draftRevision + 1 };
  },

  async discardFirewallDraft(tx, call) {
    const project = projectKeyOf(call);
    const row = await getDraftRow(tx, project);
    requireRevision(call, row.draftRevision);
    await clearDraft(tx, project);
    await emitDiscarded(tx, call, row, "discarded the draft");
    return null;
  },

  async activateFirewallConfig(tx, call) {
    const project = projectKeyOf(call);
    const { configVersion } = call.params;
    const { note, expectedVersion } = call.body ?? {};
    if (configVersion !== "draft") {
      const stored = await getStored(tx, project, configVersion);
      const firewall = await getOrCreateFirewall(tx, call, project.projectId);
      requireActive(call, firewall.row, expectedVersion);
      if (firewall.row.activeVersion !== stored.version) await restoreVersion(tx, call, firewall, stored.version);
      return { rendered: withEnforcement(stored.document, firewall.row.crsEngine), revision: stored.version };
    }
    const row = await getDraftRow(tx, project);
    requireRevision(call, row.draftRevision);
    requireActive({ ifMatch: null }, row, expectedVersion);
    const active = activeContent(row);
    const draft = rebaseDraft(row, active);
    requireNoConflict(draft);
    await clearDraft(tx, project);
    const firewall = { projectId: project.projectId, row, active };
    const result = await saveContent(tx, call, firewall, draft.content, note ?? row.draftNote);
    if (result.revision === row.activeVersion) await emitDiscarded(tx, call, row, "activated a draft without effect");
    return result;
  },

  async diffFirewallConfigs(tx, call) {
    const project = projectKeyOf(call);
    const { configVersion: from, otherVersion } = call.params;
    const to = await readNamed(tx, project, otherVersion);
    const isFirst = from === "previous" && to.basedOn === null;
    const before = isFirst ? null : await readNamed(tx, project, from === "previous" ? String(to.basedOn) : from);
    return {
      from: before?.version ?? null,
      to: to.version,
      differences: diffContents(before?.content ?? EMPTY, to.content),
    };
  },

  generateFirewallRule: () => NO_GENERATED_RULES,
};
