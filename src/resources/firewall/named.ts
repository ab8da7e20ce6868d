// Finds the configuration that a call names: the active one, the draft, or a version by its number.
import { notFound } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { ProjectKey } from "../projects/project-schema.ts";
import type { Content } from "./content-rules.ts";
import { activeContent, contentOf } from "./document.ts";
import { getDraftRow, replay } from "./draft.ts";
import { findActive, findVersion } from "./store.ts";

export interface NamedConfig {
  /** Of a draft the number that it would get now. */
  readonly version: number;
  /** The version that was active when this one was made. */
  readonly basedOn: number | null;
  readonly content: Content;
}

/** A stored version and its number. */
export async function getStored(tx: Tx, project: ProjectKey, name: string) {
  const stored =
    name === "active" ? await findActive(tx, project) : await findVersion(tx, { ...project, version: Number(name) });
  if (!stored) throw notFound("Firewall configuration");
  return stored;
}

export async function readNamed(tx: Tx, project: ProjectKey, name: string): Promise<NamedConfig> {
  if (name === "draft") {
    const row = await getDraftRow(tx, project);
    const { content } = replay(row, activeContent(row));
    return { version: row.last_version + 1, basedOn: row.active_version, content };
  }
  const { version, document, based_on: basedOn } = await getStored(tx, project, name);
  return { version, basedOn, content: contentOf(document) };
}
