// The draft: a list of changes that are applied to the active version each time. So a draft never reverts a version that was
// activated meanwhile, and a change that no longer applies is shown as a conflict.
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { costOf } from "../evaluator/cost.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { applyChange } from "./change-rules.ts";
import type { Change } from "./change-rules.ts";
import { EMPTY } from "./content-rules.ts";
import type { Content } from "./content-rules.ts";
import { diffContents } from "./diff-rules.ts";
import { activeContent, documentOf } from "./document.ts";
import { findFirewall } from "./store.ts";
import type { FirewallRow } from "./store.ts";

/** A change of a draft that cannot be applied to the active version. */
export interface Conflict {
  readonly index: number;
  readonly message: string;
}

export interface Draft {
  readonly content: Content;
  readonly changes: readonly Change[];
  readonly conflicts: readonly Conflict[];
}

export function changesOf({ draftChanges }: Pick<FirewallRow, "draftChanges">): readonly Change[] {
  return draftChanges === null ? [] : (JSON.parse(draftChanges) as Change[]);
}

/** Applies the draft's changes to the active content. Skips those that cannot be applied and lists them as conflicts. */
export function rebaseDraft(row: FirewallRow, active: Content | null): Draft {
  const changes = changesOf(row);
  const stamp = {
    updatedAt: new Date(row.draftUpdatedAt ?? 0).toISOString(),
    ...(row.draftCreatorId !== null && { userId: row.draftCreatorId }),
    username: row.draftCreatorName ?? "Reeve",
  };
  const conflicts: Conflict[] = [];
  let content = active ?? EMPTY;
  for (const [index, change] of changes.entries()) {
    try {
      content = applyChange(content, change, stamp);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      conflicts.push({ index, message: error.message });
    }
  }
  return { content, changes, conflicts };
}

/** Throws `draft_conflict` when some of the changes cannot be applied any more. */
export function requireNoConflict({ conflicts, changes }: Draft): void {
  const [first] = conflicts;
  if (!first) return;
  const { action, id } = changes[first.index] as Change;
  throw new ApiError(
    "draft_conflict",
    `the draft's change ${first.index} (${action}${id === null ? "" : ` of ${id}`}) can't be made on the active version: ` +
      `${first.message}; discard the draft and stage the others anew`,
    { conflicts },
  );
}

/** The document of a draft. */
export function draftDocument(row: FirewallRow, active: Content | null, draft: Draft) {
  const { ownerId, projectId } = row;
  const { content, changes, conflicts } = draft;
  const metadata = {
    ownerId,
    projectId,
    id: "draft",
    version: row.lastVersion + 1,
    updatedAt: row.draftUpdatedAt ?? 0,
    note: row.draftNote,
    basedOn: row.activeVersion,
    changeCount: diffContents(active ?? EMPTY, content).length,
    cost: costOf(content),
    createdBy: { id: row.draftCreatorId, name: row.draftCreatorName ?? "Reeve" },
  };
  return documentOf(metadata, content, { changes, ...(conflicts.length > 0 && { conflicts }) });
}

/** Builds the document of a stored draft. */
export function readDraft(row: FirewallRow) {
  const active = activeContent(row);
  return draftDocument(row, active, rebaseDraft(row, active));
}

/** The row of a firewall with a draft. Throws `not_found` when there is no draft. */
export async function getDraftRow(tx: Tx, project: ProjectKey): Promise<FirewallRow> {
  const row = await findFirewall(tx, project);
  if (!row || row.draftChanges === null) {
    const advice =
      "the first change of one begins it (PATCH /v1/firewalls/draft, or `reeve firewall rules add --draft`)";
    throw new ApiError("not_found", `Firewall draft not found: ${advice}`);
  }
  return row;
}
