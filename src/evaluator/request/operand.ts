// What the conditions of each type read of a request, and what they expect to find.
import type { Condition } from "../config.ts";
import { slotOf } from "./request.ts";
import type { NamedType, RequestView } from "./request.ts";
import type { Values } from "./values.ts";

export interface Operand {
  /** The same for all conditions that read the same. */
  readonly name: string;
  /** Of a header, query parameter or cookie; a header's name in lower case. */
  readonly named?: { readonly type: NamedType; readonly name: string };
  read(request: RequestView): Values;
}

/** Undefined for a condition that compares no texts. */
export function operandOf({ type, key = "" }: Condition): Operand | undefined {
  if (type === "header" || type === "query" || type === "cookie") {
    const name = type === "header" ? key.toLowerCase() : key;
    return { name: `${type}:${name}`, named: { type, name }, read: (request) => request.named(type, name) };
  }
  if (type === "ip_address" || type === "shared_condition") return undefined;
  if (type === "ruleset") return { name: type, read: (request) => request.rulesets };
  const slot = slotOf(type);
  return { name: type, read: (request) => request.text(slot) };
}

/** A condition's values as texts; a single one is a list of one. */
export function expectedTexts({ value }: Condition): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "object" ? value.map(String) : [String(value)];
}

const NEGATED: ReadonlySet<string> = new Set(["neq", "ninc", "nex"]);

/** Whether the condition holds when what its operator names does not. */
export function isNegated({ op, neg }: Condition): boolean {
  return NEGATED.has(op) !== (neg === true);
}

const EQUALITY: ReadonlySet<string> = new Set(["eq", "neq", "inc", "ninc", "list"]);

/** Whether values are compared whole. */
export function isEquality({ op }: Pick<Condition, "op">): boolean {
  return EQUALITY.has(op);
}
