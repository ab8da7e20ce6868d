// Managed rule sets as a configuration switches them: which of them count, in their order, and what they do.
import { CRS_CATEGORIES } from "./config.ts";
import type { Configuration, ManagedSwitch } from "./config.ts";
import { CRS, MANAGED } from "./managed/sets.ts";
import type { Signature, SignatureSet, Target } from "./managed/sets.ts";
import { findPattern, hasOne } from "./pattern/pattern.ts";
import { slotOf } from "./request/request.ts";
import type { RequestView } from "./request/request.ts";
import type { Values } from "./request/values.ts";

const ORDER = ["bot_protection", "bot_filter", "ai_bots", "traffic_sources", "vercel_ruleset"] as const;

export type ManagedAction = SignatureSet["defaultAction"];

export interface CompiledSet {
  readonly id: string;
  /** Of signatures that have none of their own. */
  readonly action: ManagedAction;
  /** The first of its signatures that fires. */
  findFiring(request: RequestView): Firing | undefined;
}

export interface Firing {
  readonly signature: Signature;
  readonly action: ManagedAction;
  /** The targets and values that the signature's pattern is found in. */
  findings(request: RequestView): readonly Finding[];
}

export interface Finding {
  readonly target: Target;
  readonly texts: readonly string[];
}

type ReadTarget = (request: RequestView) => Values;

function compileTarget(target: Target): ReadTarget {
  switch (target) {
    case "query_names":
      return (request) => request.allNamed("query").names;
    case "query_values":
      return (request) => request.allNamed("query").all;
    case "headers":
      return (request) => request.allNamed("header").all;
    case "cookies":
      return (request) => request.allNamed("cookie").all;
    case "body":
      return (request) => request.body;
    case "path":
    case "raw_path":
    case "user_agent":
    case "method":
    case "bot_name":
    case "bot_category":
    case "bot_status":
    case "bot_protection":
    case "traffic_source": {
      const slot = slotOf(target);
      return (request) => request.text(slot);
    }
    default: {
      const name = target.slice("header:".length).toLowerCase();
      return (request) => request.named("header", name);
    }
  }
}

interface CompiledSignature extends Pick<Firing, "signature" | "findings"> {
  readonly fires: (request: RequestView) => boolean;
}

function compileSignature(signature: Signature): CompiledSignature {
  const { targets, pattern, isAbsent, literals } = signature;
  const readers = targets.map(compileTarget);
  if (isAbsent) {
    const isNothingThere = (request: RequestView) => readers.every((read) => read(request).texts.length === 0);
    return { signature, fires: isNothingThere, findings: () => targets.map((target) => ({ target, texts: [] })) };
  }
  const isFoundIn = findPattern(pattern ?? "");
  const isFound = (text: string, lower: string) => (!literals || hasOne(lower, literals)) && isFoundIn(text, lower);
  return {
    signature,
    fires: (request) =>
      readers.some((read) => {
        const { texts, folded } = read(request);
        return texts.some((text, at) => isFound(text, folded[at] as string));
      }),
    findings: (request) =>
      targets.flatMap((target, index) => {
        const { texts, folded } = (readers[index] as ReadTarget)(request);
        const found = texts.filter((text, at) => isFound(text, folded[at] as string));
        return found.length === 0 ? [] : [{ target, texts: found }];
      }),
  };
}

const compiledSets = new Map<SignatureSet, readonly CompiledSignature[]>();

/** Tables are compiled when a configuration first switches them on, once. */
function compileSignatures(set: SignatureSet): readonly CompiledSignature[] {
  const known = compiledSets.get(set);
  if (known) return known;
  const compiled = set.signatures.map(compileSignature);
  compiledSets.set(set, compiled);
  return compiled;
}

function compileSet(
  id: string,
  set: SignatureSet,
  action: ManagedAction,
  groups: ManagedSwitch["ruleGroups"],
): CompiledSet {
  const counting = compileSignatures(set).flatMap(({ signature, fires, findings }) => {
    const own = groups && Object.hasOwn(groups, signature.id) ? groups[signature.id] : undefined;
    return own?.active === false ? [] : [{ fires, firing: { signature, action: own?.action ?? action, findings } }];
  });
  return { id, action, findFiring: (request) => counting.find(({ fires }) => fires(request))?.firing };
}

/** The sets that count, in the order in which they do. */
export function compileManaged({ managedRules = {}, crs }: Configuration): readonly CompiledSet[] {
  const sets: CompiledSet[] = [];
  for (const id of ORDER) {
    const chosen = managedRules[id];
    if (!chosen?.active) continue;
    sets.push(compileSet(id, MANAGED[id], chosen.action ?? MANAGED[id].defaultAction, chosen.ruleGroups));
  }
  if (!crs || managedRules.owasp?.active === false) return sets;
  for (const id of CRS_CATEGORIES) {
    if (crs[id].active) sets.push(compileSet(id, CRS[id], crs[id].action, undefined));
  }
  return sets;
}
