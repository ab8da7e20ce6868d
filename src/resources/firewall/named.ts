// Finds the configuration that a call names: the active one, the draft, or a version by its number.
import type { Call } from "../../kernel/contract.ts";
import { notFound } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import type { ProjectKey } from "../projects/project-schema.ts";
import type { Content } from "./content-rules.ts";
import { contentOf } from "./document.ts";
import { getDraft } from "./draft.ts";
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

export async function readNamed(
  tx: Tx,
  call: Pick<Call, "scope">,
  project: ProjectKey,
  name: string,
): Promise<NamedConfig> {
  if (name === "draft") {
    const { row, draft } = await getDraft(tx, call, project.projectId);
    return { version: row.last_version + 1, basedOn: row.active_version, content: draft.content };
  }
  const { version, document, based_on: basedOn } = await getStored(tx, project, name);
  return { version, basedOn, content: contentOf(document) };
}
