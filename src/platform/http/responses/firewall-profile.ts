// Firewall configurations for a generated SDK, which rejects a response with a type of condition that it does not know. Rules with such
// conditions are left out whole: without the condition they would match more.
import { isRendered } from "../../kernel/contract.ts";

/** Reeve's own: the public API has no condition on bodies. */
const MARK = '"type":"body"';

interface Conditional {
  readonly conditionGroup?: unknown;
}

function isKnown(part: Conditional): boolean {
  return !JSON.stringify(part.conditionGroup ?? null).includes(MARK);
}

/** The same without these rules and shared conditions, however deep the configurations are in it. */
function withoutUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnknown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isList = (name === "rules" || name === "conditions") && Array.isArray(inner);
      return [name, isList ? (inner as Conditional[]).filter(isKnown) : withoutUnknown(inner)];
    }),
  );
}

/** Configurations without such conditions, which are nearly all, stay as they are. */
export function adaptFirewall(result: object): unknown {
  if (isRendered(result)) {
    const bytes = Buffer.from(result.rendered);
    if (!bytes.includes(MARK)) return result;
    return { ...result, rendered: Buffer.from(JSON.stringify(withoutUnknown(JSON.parse(bytes.toString())))) };
  }
  return JSON.stringify(result).includes(MARK) ? withoutUnknown(result) : result;
}
