// Which rules may match a request, found without asking each: every group of a rule waits at one of its conditions for
// the values that make it hold, and what the request has there leads to the rules that wait for it.
import type { Condition, ConditionGroup, Rule } from "./config.ts";
import { indexNetworks } from "./network-index.ts";
import { PrefixIndex } from "./prefix-index.ts";
import { expectedTexts, isEquality, isTurnedAround, readingOf } from "./reading.ts";
import type { RequestView } from "./request.ts";
import type { Values } from "./values.ts";

/** Sets the bit of each rule that may match; of those it leaves out, none does. */
export type MarkCandidates = (request: RequestView, bits: Uint32Array) => void;

interface Place {
  /** The condition holds when what is read equals one of its values, begins with one, or lies in one. */
  readonly way: "equal" | "prefix" | "network";
  /** Conditions of the same way and name share a table. */
  readonly name: string;
  readonly values: readonly string[];
  /** How many requests come by with one of the values, guessed. */
  readonly weight: number;
  readonly read: (request: RequestView) => Values;
}

const RARE = 1;
const COMMON = 8;
const VERY_COMMON = 16;
const NEARLY_ALL = 64;
// What many requests have in common; other texts tell them apart well.
const WEIGHTS: Readonly<Partial<Record<Condition["type"], number>>> = {
  host: COMMON,
  method: VERY_COMMON,
  protocol: VERY_COMMON,
  scheme: VERY_COMMON,
  environment: VERY_COMMON,
  domain_environment: VERY_COMMON,
  region: COMMON,
  geo_continent: VERY_COMMON,
  geo_country: COMMON,
  bot_category: COMMON,
  bot_status: COMMON,
  bot_protection: COMMON,
};

/** Null for a condition at which no rule can wait. */
function placeOf(condition: Condition): Place | null {
  const { type, op } = condition;
  if (isTurnedAround(condition) || !(op === "pre" || isEquality(condition))) return null;
  const texts = expectedTexts(condition);
  if (type === "ip_address") {
    if (op === "pre") return null;
    const weight = texts.some((text) => text.endsWith("/0")) ? NEARLY_ALL : RARE;
    return { way: "network", name: type, values: texts, weight, read: (request) => request.rulesets };
  }
  const reading = readingOf(condition);
  if (!reading) return null;
  const values = texts.map((text) => text.toLowerCase());
  const weight = WEIGHTS[type] ?? RARE;
  if (op !== "pre") return { way: "equal", ...reading, values, weight };
  // Every path begins with a `/`.
  const isShort = values.some((value) => value.length < 2);
  return { way: "prefix", ...reading, values, weight: isShort ? NEARLY_ALL : 2 * weight };
}

/** What the rules of one place wait for. */
interface Table {
  readonly place: Place;
  readonly waiting: (readonly [value: string, rule: number])[];
}

function tableKey({ way, name }: Place): string {
  return `${way} ${name}`;
}

/** How many conditions name a value, by place and value. */
type Popularity = ReadonlyMap<string, ReadonlyMap<string, number>>;

function countValues(rules: readonly Rule[]): Popularity {
  const counts = new Map<string, Map<string, number>>();
  for (const { conditions } of rules.flatMap(({ conditionGroup }) => conditionGroup)) {
    for (const condition of conditions) {
      const place = placeOf(condition);
      if (!place) continue;
      const key = tableKey(place);
      const values = counts.get(key) ?? new Map<string, number>();
      counts.set(key, values);
      for (const value of place.values) values.set(value, (values.get(value) ?? 0) + 1);
    }
  }
  return counts;
}

/** The place at which the fewest requests should come by in vain; null when there is none. */
function bestPlace({ conditions }: ConditionGroup, popularity: Popularity): Place | null {
  let best: Place | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const condition of conditions) {
    const place = placeOf(condition);
    if (!place) continue;
    const counts = popularity.get(tableKey(place));
    const most = place.values.reduce((max, value) => Math.max(max, counts?.get(value) ?? 0), 0);
    if (most * place.weight >= least) continue;
    best = place;
    least = most * place.weight;
  }
  return best;
}

function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}

function markTable({ place, waiting }: Table): MarkCandidates {
  const { way, read } = place;
  switch (way) {
    case "equal": {
      const rules = new Map<string, number[]>();
      for (const [value, rule] of waiting) {
        const known = rules.get(value);
        if (known) known.push(rule);
        else rules.set(value, [rule]);
      }
      return (request, bits) => {
        for (const lower of read(request).lowers) for (const rule of rules.get(lower) ?? []) setBit(bits, rule);
      };
    }
    case "prefix": {
      const rules = new PrefixIndex(waiting);
      return (request, bits) => {
        for (const lower of read(request).lowers) {
          rules.visit(lower, (found) => {
            for (const rule of found) setBit(bits, rule);
          });
        }
      };
    }
    case "network": {
      const networks = indexNetworks(waiting, (found) => found);
      return (request, bits) => {
        const { address } = request;
        if (!address) return;
        networks.visit(address, (found) => {
          for (const rule of found) setBit(bits, rule);
          return false;
        });
      };
    }
  }
}

export function indexRules(rules: readonly Rule[]): MarkCandidates {
  const popularity = countValues(rules);
  const tables = new Map<string, Table>();
  const always = new Uint32Array(Math.ceil(rules.length / 32));
  for (const [rule, { conditionGroup }] of rules.entries()) {
    // One without conditions matches nothing.
    const places = conditionGroup
      .filter(({ conditions }) => conditions.length > 0)
      .map((group) => bestPlace(group, popularity));
    if (places.includes(null)) {
      setBit(always, rule);
      continue;
    }
    for (const place of places as Place[]) {
      const key = tableKey(place);
      const table = tables.get(key) ?? { place, waiting: [] };
      tables.set(key, table);
      for (const value of place.values) table.waiting.push([value, rule]);
    }
  }
  const marks = Array.from(tables.values(), markTable);
  return (request, bits) => {
    bits.set(always);
    for (const mark of marks) mark(request, bits);
  };
}
