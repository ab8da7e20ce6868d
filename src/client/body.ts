// The JSON of a body. What JSON cannot say is refused by its place: written as null or left out it would be another request.
import { isPlain, refuse } from "./arguments.ts";

const SAYABLE =
  "what JSON can say: a text, a finite number, true, false, null, a list, a plain object, or what has `toJSON`";

/** The same with what each `toJSON` gives, and without members that are undefined. */
function say(place: string, value: unknown, around: readonly unknown[]): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : refuse(place, `a finite number, got ${value}`);
  if (typeof value !== "object" || around.includes(value)) return refuse(place, SAYABLE);
  const within = [...around, value];
  if ("toJSON" in value && typeof value.toJSON === "function") {
    // Dates of every library that are none say null.
    return say(place, value.toJSON() ?? refuse(place, "a valid date, or what `toJSON` can say"), within);
  }
  if (Array.isArray(value)) return Array.from(value, (one, index) => say(`${place}[${index}]`, one, within));
  if (!isPlain(value)) refuse(place, SAYABLE);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, say(`${place}.${name}`, member, within)]));
}

/** Undefined: there is no body. */
export function jsonOf(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(say("body", body, []));
}
