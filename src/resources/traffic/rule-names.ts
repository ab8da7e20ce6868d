// What the rules of the active configuration are called.
import type { Tx } from "../../kernel/tx.ts";
import type { ProjectKey } from "../projects/project-schema.ts";
import { readActive } from "../firewall/served.ts";

type Names = ReadonlyMap<string, string>;

// By the bytes of a version, which are read once and never change.
const namesOf = new WeakMap<Buffer, Names>();

function readNames(document: Buffer): Names {
  const { rules } = JSON.parse(document.toString()) as {
    readonly rules: readonly { readonly id: string; readonly name: string }[];
  };
  return new Map(rules.map(({ id, name }) => [id, name]));
}

/** Names by id; none when no version is active. */
export async function readRuleNames(tx: Tx, project: ProjectKey): Promise<Names> {
  const active = await readActive(tx, project);
  if (!active) return new Map();
  const names = namesOf.get(active.document) ?? readNames(active.document);
  namesOf.set(active.document, names);
  return names;
}
