// Variables of a project, as its environments' entries make them.
import { BUILT_IN } from "../environment-schema.ts";
import type { Content, Entry } from "../document-rules.ts";
import type { Variable, VariableKind } from "./variable-schema.ts";

/** The entries of one key that share an id. */
export interface Grouped {
  readonly id: string;
  readonly key: string;
  readonly entries: readonly Entry[];
  /** The environments that have it, in the order of lists. */
  readonly environments: readonly string[];
}

/** The entry that stands for all of them: they are equal, but one may have been there before the others. */
export function entryOf({ entries }: Grouped): Entry {
  return entries.find(({ isOwn }) => isOwn) ?? (entries[0] as Entry);
}

export function kindOf(variable: Grouped): VariableKind {
  const { secret, isSensitive, isOwn } = entryOf(variable);
  if (secret === undefined) return "plain";
  if (isSensitive) return "sensitive";
  return isOwn ? "encrypted" : "secret";
}

function createdAt({ entries }: Grouped): number {
  return Math.min(...entries.map((entry) => entry.createdAt));
}

/** The variables of a project, newest first. */
export function listVariables({
  environments,
}: {
  readonly environments: ReadonlyMap<string, { readonly name: string; readonly content: Content }>;
}): readonly Grouped[] {
  const groups = new Map<string, { id: string; key: string; entries: Entry[]; environments: string[] }>();
  for (const { name, content } of environments.values()) {
    for (const [key, entry] of content.entries) {
      const { id } = entry;
      const group = groups.get(`${id} ${key}`) ?? { id, key, entries: [], environments: [] };
      if (group.entries.length === 0) groups.set(`${id} ${key}`, group);
      group.entries.push(entry);
      group.environments.push(name);
    }
  }
  return [...groups.values()]
    .map((variable) => ({ variable, at: createdAt(variable) }))
    .toSorted((one, other) => other.at - one.at || (one.variable.key < other.variable.key ? -1 : 1))
    .map(({ variable }) => variable);
}

/** A variable in responses. `shown`: its secret's value; undefined leaves it empty. */
export function publicVariable(variable: Grouped, shown?: string): Variable {
  const { id, key, entries, environments } = variable;
  const { secret, value = "", comment } = entryOf(variable);
  const type = kindOf(variable);
  const isBuiltIn = (name: string): name is (typeof BUILT_IN)[number] => (BUILT_IN as readonly string[]).includes(name);
  const isHidden = type === "encrypted" || type === "sensitive";
  return {
    id,
    key,
    value: type === "secret" ? (secret ?? "") : isHidden ? (shown ?? "") : value,
    type,
    target: environments.filter(isBuiltIn),
    customEnvironmentIds: environments.filter((name) => !isBuiltIn(name)),
    ...(comment === undefined ? {} : { comment }),
    ...(isHidden ? { decrypted: shown !== undefined } : {}),
    createdAt: createdAt(variable),
    updatedAt: Math.max(...entries.map((entry) => entry.updatedAt)),
  };
}
