// Which parameters of a query take an empty value: the checks of requests and openapi.json follow from it.
import type { Endpoint } from "../kernel/contract.ts";

/** Query members that every endpoint accepts; the HTTP layer reads them itself. */
export const SCOPE_KEYS = ["teamId", "slug"] as const;

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
