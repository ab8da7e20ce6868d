// What an environment may come to have of secrets that are not its own doing: whichever way references get into it, the caller needs
// what setting them needs.
import type { Call } from "../../kernel/contract.ts";
import { fieldError } from "../../kernel/errors.ts";
import { requireFreshProof } from "../../kernel/giving.ts";
import { limitOf } from "../../kernel/limits.ts";
import { requirePermission } from "../../kernel/permission.ts";
import { lineage } from "./document-rules.ts";
import type { Content } from "./document-rules.ts";
import type { ProjectState } from "./project.ts";

/** Whether a caller may have entries refer to any secret of the owner that it knows. */
export function mayRefer({ limits }: Call["caller"]): boolean {
  return limitOf(limits, "project") === null && limitOf(limits, "environment") === null;
}

/** The entries that refer to secrets in an environment with this content, and in those that it inherits from. */
function referringEntries({ environments }: ProjectState, name: string, content: Content) {
  const contentOf = (at: string) => (at === name ? content : environments.get(at)?.content);
  const line = lineage(name, (at) => contentOf(at)?.inheritsFrom ?? null) ?? [name];
  return line.flatMap((at) => [...(contentOf(at)?.entries ?? [])].filter(([, { secret }]) => secret !== undefined));
}

/**
 * Refuses a new content of an environment that makes values of secrets part of it, to a caller who may not refer to them. Of secrets that
 * no environment of the project refers to any more, a credential that is limited to projects knows nothing.
 */
export function requireReferences(
  call: Pick<Call, "caller" | "scope" | "now">,
  state: ProjectState,
  name: string,
  after: Content,
): void {
  const present = state.environments.get(name)?.content;
  const had = new Set(present && referringEntries(state, name, present).map(([, { secret }]) => secret));
  const gained = referringEntries(state, name, after).filter(([, { secret }]) => !had.has(secret));
  if (gained.length === 0) return;
  requireFreshProof(call.caller, call.now);
  requirePermission(call.scope, "secret:read");
  if (mayRefer(call.caller)) return;
  const inProject = new Set(
    [...state.environments.values()].flatMap(({ content }) =>
      [...content.entries.values()].map(({ secret }) => secret),
    ),
  );
  const [key] = gained.find(([, { secret, isOwn }]) => !isOwn && !inProject.has(secret)) ?? [];
  if (key === undefined) return;
  const problem = `expected another version: ${key} refers to a secret of which this credential knows nothing, because it is limited to projects`;
  throw fieldError("forbidden", "body.version", problem);
}

/** Whether an own entry of an environment refers to a secret. */
export function refersTo({ entries }: Content, secret: string | undefined): boolean {
  return [...entries.values()].some((entry) => entry.secret === secret);
}
