// The document of a version, as it is stored and as responses contain it: its content and its metadata.
import { CRS_CATEGORIES, ENFORCED_BY } from "../evaluator/config.ts";
import { doubtsOf } from "./doubts.ts";
import type { Content, StoredRule, StoredShared } from "./content-rules.ts";
import { inOrder } from "./content-rules.ts";
import type { FirewallRow } from "./store.ts";

export interface VersionMetadata {
  readonly ownerId: string;
  readonly projectId: string;
  readonly id: string;
  readonly version: number;
  /** ms */
  readonly updatedAt: number;
  readonly note: string | null;
  readonly basedOn: number | null;
  readonly changeCount: number;
  readonly cost: number;
  readonly createdBy: { readonly id: string | null; readonly name: string };
}

/** Clients expect these members of a rule. Stored rules are always valid. */
interface Validity {
  readonly valid: true;
  readonly validationErrors: readonly string[] | null;
}

type ServedRule = StoredRule & Validity;

interface Doubtful {
  readonly validationErrors?: readonly string[];
}

function validityOf({ conditionGroup }: StoredRule): Validity {
  return { valid: true, validationErrors: doubtsOf(conditionGroup, "rule") };
}

/** A shared condition, with what of it is doubtful. */
function servedShared(shared: StoredShared): StoredShared & Doubtful {
  const doubts = doubtsOf(shared.conditionGroup, "condition");
  return doubts === null ? shared : { ...shared, validationErrors: doubts };
}

function enforcementBy(engine: string | null): string {
  const crs = Object.fromEntries(CRS_CATEGORIES.map((category) => [category, engine]));
  return `,"enforcedBy":${JSON.stringify({ ...ENFORCED_BY, crs })}}`;
}

const UNENFORCED = enforcementBy(null);

/**
 * Adds `enforcedBy` to a stored document. It depends on the server that responds and on the engine that a gate has reported (null:
 * none), so versions do not store it.
 */
export function withEnforcement(document: string, engine: string | null): string {
  return document.slice(0, -1) + (engine === null ? UNENFORCED : enforcementBy(engine));
}

/** The document of a version, or of a draft with its `changes`. */
export function documentOf(
  { ownerId, projectId, id, version, updatedAt, ...metadata }: VersionMetadata,
  content: Content,
  draft: { readonly changes: readonly unknown[]; readonly conflicts?: readonly unknown[] } = { changes: [] },
) {
  const { firewallEnabled, crs, rules, ips, conditions, ...rest } = content;
  return {
    ownerId,
    projectKey: projectId,
    id,
    version,
    updatedAt: new Date(updatedAt).toISOString(),
    firewallEnabled,
    crs,
    rules: rules.map((rule): ServedRule => ({ ...rule, ...validityOf(rule) })),
    ips,
    ...draft,
    ...rest,
    ...(conditions && { conditions: conditions.map(servedShared) }),
    ...metadata,
  };
}

interface Served extends Omit<Content, "rules" | "conditions"> {
  readonly rules: readonly ServedRule[];
  readonly conditions?: readonly (StoredShared & Doubtful)[];
}

/** The content of the active version; null when no version is active. */
export function activeContent({ activeDocument }: Pick<FirewallRow, "activeDocument">): Content | null {
  return activeDocument === null ? null : contentOf(activeDocument);
}

/** The content of a stored document. */
export function contentOf(document: string): Content {
  const { rules, conditions, ...rest } = JSON.parse(document) as Served;
  return inOrder({
    ...rest,
    rules: rules.map(({ valid: _valid, validationErrors: _errors, ...rule }) => rule),
    ...(conditions && { conditions: conditions.map(({ validationErrors: _errors, ...shared }) => shared) }),
  });
}
