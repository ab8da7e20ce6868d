// The two sides of a condition: the values that it takes from a request, and the values that it expects.
import type { Condition } from "../config.ts";
import { slotOf } from "./request.ts";
import type { NamedType, RequestView } from "./request.ts";
import type { Values } from "./values.ts";

/** The values of a request that a condition compares. */
export interface Operand {
  /** Identifies the operand: conditions with the same name compare the same values. */
  readonly name: string;
  /** Set for a header (its name in lower case), query parameter or cookie. */
  readonly named?: { readonly type: NamedType; readonly name: string };
  read(request: RequestView): Values;
}

/** Undefined for a condition that does not compare texts. */
export function operandOf({ type, key = "" }: Condition): Operand | undefined {
  if (type === "header" || type === "query" || type === "cookie" || type === "body") {
    const name = type === "header" ? key.toLowerCase() : key;
    return { name: `${type}:${name}`, named: { type, name }, read: (request) => request.named(type, name) };
  }
  if (type === "ip_address" || type === "shared_condition") return undefined;
  if (type === "ruleset") return { name: type, read: (request) => request.rulesets };
  const slot = slotOf(type);
  return { name: type, read: (request) => request.text(slot) };
}

/** The values that a condition expects, as texts. */
export function expectedTexts({ value }: Condition): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "object" ? value.map(String) : [String(value)];
}

const NEGATED: ReadonlySet<string> = new Set(["neq", "ninc", "nex"]);

/** Whether the condition matches when the comparison that its operator names fails. */
export function isNegated({ op, neg }: Condition): boolean {
  return NEGATED.has(op) !== (neg === true);
}

const EQUALITY: ReadonlySet<string> = new Set(["eq", "neq", "inc", "ninc", "list"]);

/** Whether the operator compares whole values. */
export function isEquality({ op }: Pick<Condition, "op">): boolean {
  return EQUALITY.has(op);
}
