// What a change makes environments have of secrets, compared by what each key has before and after it, own or inherited: whichever way a
// secret gets there, the caller needs what setting a reference to it needs.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { requireFreshProof } from "../../platform/kernel/giving.ts";
import { isWithin, limitOf } from "../../platform/kernel/limits.ts";
import { requirePermission } from "../../platform/kernel/permission.ts";
import { lineage } from "./document-rules.ts";
import type { Content, Entry } from "./document-rules.ts";
import type { ProjectState } from "./project.ts";

/** Contents of environments by name. */
type Contents = ReadonlyMap<string, Content>;

/** Whether a caller may have entries refer to any secret of the owner that it knows. */
export function mayRefer({ limits }: Call["caller"]): boolean {
  return limitOf(limits, "project") === null && limitOf(limits, "environment") === null;
}

/** The contents of an environment and of those that it inherits from, nearest first. */
function lineOf(name: string, contentOf: (name: string) => Content | undefined): readonly Content[] {
  const line = lineage(name, (at) => contentOf(at)?.inheritsFrom ?? null) ?? [name];
  return line.flatMap((at) => contentOf(at) ?? []);
}

function entryIn(line: readonly Content[], key: string): Entry | undefined {
  return line.find(({ entries }) => entries.has(key))?.entries.get(key);
}

/** A secret that a key of an environment comes to have. */
interface Gained {
  readonly environment: string;
  readonly key: string;
  readonly secret: string;
}

/**
 * What the changed environments gain. Those that inherit from them gain nothing else: what they have of their own stays in front of it.
 */
function* gainedBy({ environments }: ProjectState, changed: Contents): Generator<Gained> {
  const before = (name: string) => environments.get(name)?.content;
  for (const [environment, content] of changed) {
    const [had, has] = [lineOf(environment, before), lineOf(environment, (name) => changed.get(name) ?? before(name))];
    const isLineKept = before(environment)?.inheritsFrom === content.inheritsFrom;
    const differing = isLineKept ? [...had.slice(0, 1), content] : has;
    for (const key of new Set(differing.flatMap(({ entries }) => [...entries.keys()]))) {
      const secret = entryIn(has, key)?.secret;
      if (secret !== undefined && secret !== entryIn(had, key)?.secret) yield { environment, key, secret };
    }
  }
}

/** The secrets that entries which a caller knows refer to. */
function knownSecrets({ environments }: ProjectState, caller: Call["caller"]): ReadonlySet<string | undefined> {
  const known = [...environments.values()].filter(({ name }) => isWithin(caller, "environment", name));
  const entries = known.flatMap(({ content }) => [...content.entries]);
  return new Set(entries.filter(([key]) => isWithin(caller, "name", key)).map(([, { secret }]) => secret));
}

/**
 * Refuses contents of environments by which a key comes to have another secret, to a caller who may not refer to it. Secrets in `given` have
 * the values that the caller itself sends. A credential that is limited to projects or environments brings nothing in that it did not
 * know there, but what was made for an entry of the environment itself.
 */
export function requireReferences(
  call: Pick<Call, "caller" | "scope" | "now">,
  state: ProjectState,
  changed: Contents,
  given: ReadonlySet<string> = new Set(),
): void {
  const gained = [...gainedBy(state, changed)].filter(({ secret }) => !given.has(secret));
  if (gained.length === 0) return;
  requireFreshProof(call.caller, call.now);
  requirePermission(call.scope, "secret:read");
  if (mayRefer(call.caller)) return;
  const known = knownSecrets(state, call.caller);
  const isOwn = ({ environment, key }: Gained) => changed.get(environment)?.entries.get(key)?.isOwn === true;
  const unknown = gained.find((one) => !known.has(one.secret) && !isOwn(one));
  if (!unknown) return;
  const { environment, key } = unknown;
  throw new ApiError(
    "forbidden",
    `Not authorized: ${key} of ${environment} would get a secret of which this credential knows nothing, because it is limited to projects or environments`,
    { scope: "limits" },
  );
}
