// The managed rule sets that this evaluator enforces. Each looks for entries of the package crawler-user-agents in the
// request's user agent. A set names tags of that list; each tag is a rule group, which can be switched on its own.
import crawlers from "crawler-user-agents";
import type { Preparation } from "./condition.ts";
import type { Configuration, EnforcedSet, ManagedSwitch } from "./config.ts";
import { findPattern } from "./pattern/pattern.ts";
import { slotOf } from "./request/request.ts";
import type { RequestView } from "./request/request.ts";

export type ManagedAction = NonNullable<ManagedSwitch["action"]>;

/** The members of an entry that are used; the package's own types lack two of them. */
interface Entry {
  readonly pattern: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}
const ENTRIES: readonly Entry[] = crawlers;

interface EnforcedTags {
  readonly id: EnforcedSet;
  readonly defaultAction: ManagedAction;
  readonly tags: readonly string[];
}

/** The enforced sets, in the order in which they are evaluated. */
export const ENFORCED: readonly EnforcedTags[] = [
  { id: "bot_protection", defaultAction: "challenge", tags: ["http-library", "browser-automation"] },
  { id: "bot_filter", defaultAction: "challenge", tags: ["seo", "archiver", "scanner"] },
  { id: "ai_bots", defaultAction: "deny", tags: ["ai-crawler"] },
];

export interface CompiledSet {
  readonly id: EnforcedSet;
  /** For tags without an action of their own. */
  readonly action: ManagedAction;
  readonly preparations: readonly Preparation[];
  /** The first match in the order of the set's tags, then of the package's list. */
  findMatch(request: RequestView): ManagedMatch | undefined;
}

export interface ManagedMatch {
  readonly tag: string;
  readonly action: ManagedAction;
  readonly pattern: string;
  readonly description: string | undefined;
  readonly userAgent: string;
}

interface Crawler {
  readonly entry: Entry;
  readonly isFoundIn: (text: string, folded: string) => boolean;
  readonly prepare: () => void;
}

const USER_AGENT = slotOf("user_agent");
const ESCAPED = /\\([^0-9A-Za-z])/g;
const SYNTAX = /[\\^$.*+?()[\]{}|]/;

/** Nearly all patterns are plain text, which needs no regular expression. Matching is case-sensitive. */
function compileCrawler(entry: Entry): Crawler {
  const { pattern } = entry;
  const isPlain = !SYNTAX.test(pattern.replaceAll(ESCAPED, ""));
  const plain = pattern.replaceAll(ESCAPED, "$1");
  if (isPlain) return { entry, isFoundIn: (text) => text.includes(plain), prepare() {} };
  const { isFound, prepare } = findPattern(`(?-i:${pattern})`);
  return { entry, isFoundIn: isFound, prepare };
}

const compiledTags = new Map<string, readonly Crawler[]>();

/** Compiles a tag when a configuration first enables it; all configurations share the result. */
function compileTag(tag: string): readonly Crawler[] {
  const known = compiledTags.get(tag);
  if (known) return known;
  const compiled = ENTRIES.filter(({ tags = [] }) => tags.includes(tag)).map(compileCrawler);
  compiledTags.set(tag, compiled);
  return compiled;
}

function compileSet({ id, defaultAction, tags }: EnforcedTags, { action = defaultAction, ruleGroups }: ManagedSwitch) {
  const groups = tags.flatMap((tag) => {
    const own = ruleGroups?.[tag];
    return own?.active === false ? [] : [{ tag, action: own?.action ?? action, entries: compileTag(tag) }];
  });
  const findMatch = (request: RequestView): ManagedMatch | undefined => {
    const { texts, folded } = request.text(USER_AGENT);
    for (const group of groups) {
      for (const [at, userAgent] of texts.entries()) {
        const found = group.entries.find(({ isFoundIn }) => isFoundIn(userAgent, folded[at] as string));
        if (found) {
          const { pattern, description } = found.entry;
          return { tag: group.tag, action: group.action, pattern, description, userAgent };
        }
      }
    }
    return undefined;
  };
  const preparations = groups.flatMap(({ entries }) => entries.map(({ prepare }) => prepare));
  return { id, action, preparations, findMatch };
}

/** The enforced sets that the configuration enables, in the order in which they are evaluated. */
export function compileManaged({ managedRules = {} }: Configuration): readonly CompiledSet[] {
  return ENFORCED.flatMap((set) => {
    const chosen = managedRules[set.id];
    return chosen?.active ? [compileSet(set, chosen)] : [];
  });
}
