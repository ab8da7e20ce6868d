// Finds the rules that may match a request without evaluating each: every group of a rule is indexed by one of its
// conditions, and the values of the request look up the rules.
import type { ConditionGroup, Rule } from "../config.ts";
import { GramIndex } from "./gram-index.ts";
import { indexNetworks } from "./network-index.ts";
import { indexKeyOf } from "./index-key.ts";
import type { IndexKey, MatchKind } from "./index-key.ts";
import { PrefixIndex } from "./prefix-index.ts";
import type { Operand } from "../request/operand.ts";
import type { NamedType, RequestView } from "../request/request.ts";
import type { Values } from "../request/values.ts";

/** Sets the bit of each rule that may match. A rule whose bit stays clear does not match. */
export type MarkCandidates = (request: RequestView, bits: Uint32Array) => void;

/** The index entries that compare the same operand in the same way. */
interface Table {
  readonly kind: MatchKind;
  readonly operand: Operand | undefined;
  readonly entries: (readonly [value: string, rule: number])[];
  /** How many conditions name each value, including conditions whose rules are indexed by another key. */
  readonly popularity: Map<string, number>;
}

type MarkValues = (values: Values, bits: Uint32Array) => void;

/** As many are found faster one by one than by looking up each trigram of a text. */
const FEW_SUBSTRINGS = 12;

function setBit(bits: Uint32Array, rule: number): void {
  bits[rule >>> 5] = (bits[rule >>> 5] as number) | (1 << (rule & 31));
}

/** Sets the bits of rules, given by their positions. */
export function setBits(bits: Uint32Array, rules: readonly number[]): void {
  for (const rule of rules) setBit(bits, rule);
}

/** The last code units of a text, at most `length`, in reverse order. */
function reverse(text: string, length: number): string {
  let reversed = "";
  for (let at = text.length - 1; at >= 0 && reversed.length < length; at--) reversed += text[at];
  return reversed;
}

type VisitRules = (text: string, take: (rules: readonly number[]) => void) => void;

function visitSubstrings(entries: Table["entries"]): VisitRules {
  if (entries.length > FEW_SUBSTRINGS) {
    const index = new GramIndex(entries);
    return (text, take) => index.visit(text, take);
  }
  const all = entries.map(([value, rule]) => ({ value, rules: [rule] }));
  return (text, take) => {
    for (const { value, rules } of all) if (text.includes(value)) take(rules);
  };
}

/** A client sends the same with each of its requests, and chooses it: so few are remembered, and no long ones. */
const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_LENGTH = 512;

/** Remembers which rules texts lead to. */
function remember(find: (folded: string) => readonly number[]): MarkValues {
  const known = new Map<string, readonly number[]>();
  return (values, bits) => {
    const { texts } = values;
    for (let at = 0; at < texts.length; at++) {
      const text = texts[at] as string;
      let rules = known.get(text);
      if (!rules) {
        rules = find(values.folded[at] as string);
        if (known.size >= MAX_REMEMBERED) known.clear();
        if (text.length <= MAX_REMEMBERED_LENGTH) known.set(text, rules);
      }
      setBits(bits, rules);
    }
  };
}

function markTexts({ kind, operand, entries }: Table): MarkValues {
  switch (kind) {
    case "equal": {
      const rules = new Map<string, number[]>();
      for (const [value, rule] of entries) {
        const known = rules.get(value);
        if (known) known.push(rule);
        else rules.set(value, [rule]);
      }
      return ({ lowers }, bits) => {
        for (const lower of lowers) {
          const found = rules.get(lower);
          if (found) setBits(bits, found);
        }
      };
    }
    case "prefix": {
      const rules = new PrefixIndex(entries);
      return ({ lowers }, bits) => {
        for (const lower of lowers) rules.visit(lower, (found) => setBits(bits, found));
      };
    }
    case "suffix": {
      const longest = entries.reduce((most, [{ length }]) => Math.max(most, length), 0);
      const rules = new PrefixIndex(entries.map(([value, rule]) => [reverse(value, longest), rule] as const));
      return ({ lowers }, bits) => {
        for (const lower of lowers) rules.visit(reverse(lower, longest), (found) => setBits(bits, found));
      };
    }
    case "substring": {
      const visit = visitSubstrings(entries);
      if (operand?.name === "user_agent" || operand?.named?.type === "header") {
        return remember((text) => {
          const all: number[] = [];
          visit(text, (found) => all.push(...found));
          return all;
        });
      }
      return ({ folded }, bits) => {
        for (const text of folded) visit(text, (found) => setBits(bits, found));
      };
    }
    case "present":
    case "network": {
      const rules = entries.map(([, rule]) => rule);
      return ({ texts }, bits) => {
        if (texts.length > 0) setBits(bits, rules);
      };
    }
  }
}

function markNetworks({ entries }: Table): MarkCandidates {
  const networks = indexNetworks(entries, (rules) => rules);
  return ({ address }, bits) => {
    if (!address) return;
    networks.visit(address, (rules) => {
      setBits(bits, rules);
      return false;
    });
  };
}

/** Iterates over the names in the request, of which there are fewer than there may be tables. */
function markNamed(type: NamedType, tables: readonly Table[]): MarkCandidates {
  const marks = new Map<string, MarkValues[]>();
  for (const table of tables) {
    const name = table.operand?.named?.name ?? "";
    marks.set(name, [...(marks.get(name) ?? []), markTexts(table)]);
  }
  return (request, bits) => {
    const texts = request.allNamed(type);
    for (const name of texts.eachName()) {
      const found = marks.get(name);
      if (found) for (const mark of found) mark(texts.of(name), bits);
    }
  };
}

function markTables(tables: readonly Table[]): readonly MarkCandidates[] {
  const marks: MarkCandidates[] = [];
  const named = new Map<NamedType, Table[]>();
  for (const table of tables) {
    const { operand } = table;
    if (table.entries.length === 0) continue;
    if (!operand) {
      marks.push(markNetworks(table));
    } else if (operand.named) {
      const { type } = operand.named;
      named.set(type, [...(named.get(type) ?? []), table]);
    } else {
      const mark = markTexts(table);
      marks.push((request, bits) => mark(operand.read(request), bits));
    }
  }
  for (const [type, all] of named) marks.push(markNamed(type, all));
  return marks;
}

class Tables {
  readonly #tables = new Map<string, Table>();

  of({ kind, operand }: IndexKey): Table {
    const key = `${kind} ${operand?.name}`;
    const known = this.#tables.get(key);
    if (known) return known;
    const table: Table = { kind, operand, entries: [], popularity: new Map() };
    this.#tables.set(key, table);
    return table;
  }

  all(): readonly Table[] {
    return [...this.#tables.values()];
  }
}

/** The keys by which a group can be indexed. Counts their values. */
function indexKeysOf({ conditions }: ConditionGroup, tables: Tables): readonly IndexKey[] {
  const keys = conditions.map(indexKeyOf).filter((key) => key !== null);
  for (const key of keys) {
    const { popularity } = tables.of(key);
    for (const value of key.values) popularity.set(value, (popularity.get(value) ?? 0) + 1);
  }
  return keys;
}

/** The key that should look up the group for the fewest requests; undefined when there is no key. */
function mostSelectiveKey(keys: readonly IndexKey[], tables: Tables): IndexKey | undefined {
  let best: IndexKey | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    const { popularity } = tables.of(key);
    let most = 0;
    for (const value of key.values) most = Math.max(most, popularity.get(value) ?? 0);
    if (most * key.weight >= least) continue;
    best = key;
    least = most * key.weight;
  }
  return best;
}

export function indexRules(rules: readonly Rule[]): MarkCandidates {
  const tables = new Tables();
  // A group without conditions matches nothing.
  const groups = rules.map(({ conditionGroup }) =>
    conditionGroup.filter(({ conditions }) => conditions.length > 0).map((group) => indexKeysOf(group, tables)),
  );
  const always = new Uint32Array(Math.ceil(rules.length / 32));
  for (const [rule, all] of groups.entries()) {
    const keys = all.map((group) => mostSelectiveKey(group, tables)).filter((key) => key !== undefined);
    if (keys.length < all.length) {
      setBits(always, [rule]);
      continue;
    }
    for (const key of keys) for (const value of key.values) tables.of(key).entries.push([value, rule]);
  }
  const marks = markTables(tables.all());
  return (request, bits) => {
    bits.set(always);
    for (const mark of marks) mark(request, bits);
  };
}
