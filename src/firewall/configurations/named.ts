// Finds the configuration that a request names: `active`, `draft`, or the number of a version.
import { notFound } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { EMPTY } from "./content-rules.ts";
import type { Content } from "./content-rules.ts";
import { activeContent, contentOf } from "./document.ts";
import { getDraftRow, rebaseDraft } from "./draft.ts";
import { findActive, findFirewall, findVersion } from "./store.ts";
import type { FirewallRow } from "./store.ts";

/** A configuration as it is stored. Parsing it may take long, and another thread can do it. */
export interface NamedSource {
  /** The number of the version; of a draft, the number that it would get now. */
  readonly version: number;
  /** The version that was active when this one was created. */
  readonly basedOn: number | null;
  /** The document of a version, or the row of a draft with its changes and the active document. */
  readonly stored: string | FirewallRow;
}

export interface NamedConfig extends Omit<NamedSource, "stored"> {
  readonly content: Content;
}

/** The stored version that a request names. */
export async function getStored(tx: Tx, project: ProjectKey, name: string) {
  const stored =
    name === "active" ? await findActive(tx, project) : await findVersion(tx, { ...project, version: Number(name) });
  if (!stored) throw notFound("Firewall configuration");
  return stored;
}

export async function findNamed(tx: Tx, project: ProjectKey, name: string): Promise<NamedSource> {
  if (name === "draft") {
    const row = await getDraftRow(tx, project);
    return { version: row.lastVersion + 1, basedOn: row.activeVersion, stored: row };
  }
  const { version, document, basedOn } = await getStored(tx, project, name);
  return { version, basedOn, stored: document };
}

/** What a change of a draft begins with: the draft, else the active version, else nothing. */
export async function findToChange(tx: Tx, project: ProjectKey): Promise<NamedSource> {
  const row = await findFirewall(tx, project);
  return {
    version: (row?.lastVersion ?? 0) + 1,
    basedOn: row?.activeVersion ?? null,
    stored: row ?? JSON.stringify(EMPTY),
  };
}

export function contentOfNamed({ stored }: NamedSource): Content {
  return typeof stored === "string" ? contentOf(stored) : rebaseDraft(stored, activeContent(stored)).content;
}

export async function readNamed(tx: Tx, project: ProjectKey, name: string): Promise<NamedConfig> {
  const source = await findNamed(tx, project, name);
  return { version: source.version, basedOn: source.basedOn, content: contentOfNamed(source) };
}
