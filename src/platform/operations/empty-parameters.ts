// Which operations take a team in the query, and which parameters an empty value: the checks of requests and openapi.json follow from it.
import type { Endpoint } from "../kernel/contract.ts";

/** Query members that name a team; the HTTP layer reads them itself. */
export const SCOPE_KEYS = ["teamId", "slug"] as const;

const ABOUT = {
  user: "you",
  instance: "the whole instance",
} as const;

/**
 * What an operation is about that takes no team in its query; null: it takes one. Existing clients send one with every call, so
 * those that they call take it.
 */
export function aboutNoTeam({ access: { kind }, aliases = [] }: Endpoint): string | null {
  return aliases.length === 0 && kind in ABOUT ? ABOUT[kind as keyof typeof ABOUT] : null;
}

/**
 * Parameters that an empty value leaves out: a list from its beginning, and a search for nothing. Any other could make a call about
 * more than was meant, as from a variable of a shell that is not set.
 */
const ABSENT_IF_EMPTY: ReadonlySet<string> = new Set(
  "limit since until next offset cursor before after search".split(" "),
);

/** Whether existing clients call the endpoint, of which some send an empty `teamId`. */
function acceptsEmptyTeam({ access, acceptsEmptyTeam: isCalled, aliases = [] }: Endpoint): boolean {
  return isCalled ?? (aliases.length > 0 || access.kind !== "owner");
}

/** Whether an empty parameter of the query counts as one that is left out. Otherwise it is refused. */
export function takesEmpty(endpoint: Endpoint, name: string): boolean {
  const isScope = (SCOPE_KEYS as readonly string[]).includes(name);
  return isScope ? acceptsEmptyTeam(endpoint) : ABSENT_IF_EMPTY.has(name);
}
