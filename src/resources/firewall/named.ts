// Finds the configuration that a call names: the active one, the draft, or a version by its number.
import { notFound } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { ProjectKey } from "../projects/project-schema.ts";
import type { Content } from "./content-rules.ts";
import { activeContent, contentOf } from "./document.ts";
import { getDraftRow, rebaseDraft } from "./draft.ts";
import { findActive, findVersion } from "./store.ts";
import type { FirewallRow } from "./store.ts";

/** A configuration as it is stored: reading it may take long, and can be done elsewhere. */
export interface NamedSource {
  /** Of a draft the number that it would get now. */
  readonly version: number;
  /** The version that was active when this one was made. */
  readonly basedOn: number | null;
  /** A document, or a draft: the changes of the row on its active document. */
  readonly stored: string | FirewallRow;
}

export interface NamedConfig extends Omit<NamedSource, "stored"> {
  readonly content: Content;
}

/** A stored version and its number. */
export async function getStored(tx: Tx, project: ProjectKey, name: string) {
  const stored =
    name === "active" ? await findActive(tx, project) : await findVersion(tx, { ...project, version: Number(name) });
  if (!stored) throw notFound("Firewall configuration");
  return stored;
}

export async function findNamed(tx: Tx, project: ProjectKey, name: string): Promise<NamedSource> {
  if (name === "draft") {
    const row = await getDraftRow(tx, project);
    return { version: row.last_version + 1, basedOn: row.active_version, stored: row };
  }
  const { version, document, based_on: basedOn } = await getStored(tx, project, name);
  return { version, basedOn, stored: document };
}

export function contentOfNamed({ stored }: NamedSource): Content {
  return typeof stored === "string" ? contentOf(stored) : rebaseDraft(stored, activeContent(stored)).content;
}

export async function readNamed(tx: Tx, project: ProjectKey, name: string): Promise<NamedConfig> {
  const source = await findNamed(tx, project, name);
  return { version: source.version, basedOn: source.basedOn, content: contentOfNamed(source) };
}
