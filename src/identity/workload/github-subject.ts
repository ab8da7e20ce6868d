// Since July 2026 GitHub puts ids into the subjects of new, renamed and transferred repositories (`repo:acme@1/shop@2:...` instead of
// `repo:acme/shop:...`). A rule of one form says what to change when it meets a subject of the other.
import { matchClaims } from "./claim-rules.ts";
import type { ClaimPattern } from "./claim-rules.ts";

const WITH_IDS = /^repo:([^/:@]+)@(\d+)\/([^/:@]+)@(\d+):/;
const WITHOUT_IDS = /^repo:[^/:@]+\/[^/:@]+:/;

const fits = (pattern: string, sub: string) => matchClaims({ sub: pattern }, { sub })[0]?.fits === true;

/** The pattern of a rule with the ids of a subject that it would fit without them. */
function addIds(pattern: string, subject: string, names: RegExpExecArray): string {
  const [, owner = "", ownerId = "", repository = "", repositoryId = ""] = names;
  const whole = `repo:${owner}/${repository}:`;
  const withIds = pattern.startsWith(whole)
    ? pattern.replace(whole, () => `repo:${owner}@${ownerId}/${repository}@${repositoryId}:`)
    : pattern.replace(`repo:${owner}/`, () => `repo:${owner}@${ownerId}/`);
  return fits(withIds, subject) ? withIds : subject;
}

/** The pattern of a rule without its ids. */
function dropIds(pattern: string): string {
  return pattern.replace(/^(repo:[^/:@]+)@[^/:@]+\/([^/:@]+)(?:@[^/:@]+)?:/, "$1/$2:");
}

const BOTH = "Allow both, as long as your repositories send both";

/** What to change in a rule's patterns for `sub`; null: ids are not why a subject does not fit. */
export function findSubjectHint(patterns: readonly ClaimPattern[], subject: string): string | null {
  const texts = patterns.filter((pattern) => typeof pattern === "string");
  if (texts.some((pattern) => fits(pattern, subject))) return null;
  const names = WITH_IDS.exec(subject);
  if (names) {
    const [start, owner, , repository] = names;
    const bare = `repo:${owner}/${repository}:${subject.slice(start.length)}`;
    const old = texts.find((pattern) => fits(pattern, bare));
    if (old === undefined) return null;
    return `GitHub puts ids into the subjects of new, renamed and transferred repositories: add ${JSON.stringify(addIds(old, subject, names))} beside ${JSON.stringify(old)}. ${BOTH}`;
  }
  const next = WITHOUT_IDS.test(subject) ? texts.find((pattern) => fits(dropIds(pattern), subject)) : undefined;
  if (next === undefined) return null;
  return `This repository still sends subjects without ids: add ${JSON.stringify(dropIds(next))} beside ${JSON.stringify(next)}, or switch on immutable subjects at GitHub. ${BOTH}`;
}
