// The document of a version, as it is stored and as responses contain it: its content and its metadata.
import {
  formatNetwork,
  isNetworkAddress,
  networkAddress,
  parseNetwork,
} from "../../platform/kernel/network/network.ts";
import { CRS_CATEGORIES, ENFORCED_BY } from "../evaluator/config.ts";
import type { Condition } from "../evaluator/config.ts";
import { valueDoubts } from "../evaluator/value-doubts.ts";
import type { Doubt } from "../evaluator/value-doubts.ts";
import type { Content, StoredRule } from "./content-rules.ts";
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

const NEVER_MATCHES = "conditionGroup: expected at least 1 group; without one this rule never matches";

/** More say nothing new, and each version stores them. */
const MOST_DOUBTS = 5;

/** Of a network such as `10.1.2.3/8`: what it covers. */
function networkDoubts({ type, value }: Condition): Doubt[] {
  const texts = type === "ip_address" && value !== undefined ? [value].flat().map(String) : [];
  return texts.flatMap((text) => {
    const network = parseNetwork(text);
    if (!network || isNetworkAddress(network)) return [];
    return [{ member: "value", text: `"${text}" is all of ${formatNetwork(networkAddress(network))}` }];
  });
}

function* doubtsOf({ conditionGroup }: StoredRule): Generator<string> {
  if (conditionGroup.length === 0) yield NEVER_MATCHES;
  for (const [group, { conditions }] of conditionGroup.entries()) {
    for (const [index, condition] of conditions.entries()) {
      for (const { member, text } of [...valueDoubts(condition), ...networkDoubts(condition)]) {
        yield `conditionGroup[${group}].conditions[${index}].${member}: ${text}`;
      }
    }
  }
}

function validityOf(rule: StoredRule): Validity {
  const doubts = [...doubtsOf(rule).take(MOST_DOUBTS)];
  return { valid: true, validationErrors: doubts.length === 0 ? null : doubts };
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
  const { firewallEnabled, crs, rules, ips, ...rest } = content;
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
    ...metadata,
  };
}

type Served = Omit<Content, "rules"> & { readonly rules: readonly ServedRule[] };

/** The content of the active version; null when no version is active. */
export function activeContent({ activeDocument }: Pick<FirewallRow, "activeDocument">): Content | null {
  return activeDocument === null ? null : contentOf(activeDocument);
}

/** The content of a stored document. */
export function contentOf(document: string): Content {
  const { rules, ...rest } = JSON.parse(document) as Served;
  return inOrder({
    ...rest,
    rules: rules.map(({ valid: _valid, validationErrors: _errors, ...rule }) => rule),
  });
}
