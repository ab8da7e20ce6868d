// Facts about endpoints that follow from their declarations: who may call them, their error codes, and the headers that they accept.
import { isMutation } from "../kernel/contract.ts";
import type { Endpoint } from "../kernel/contract.ts";
import { DIMENSIONS } from "../kernel/limits.ts";
import { ERROR_STATUS } from "../kernel/errors.ts";
import type { ErrorCode } from "../kernel/errors.ts";

/** An endpoint under its key in the contract. */
export interface NamedEndpoint {
  readonly id: string;
  readonly endpoint: Endpoint;
}

/** Which limited credentials may call an endpoint; nothing where the general rule applies, which refuses them. */
function describeLimited({ access, limits = {} }: Endpoint): string {
  if (access.kind === "user" && access.allowNarrow) return " A limited access token may too, about itself.";
  const lists = DIMENSIONS.filter((dimension) => limits[dimension] !== undefined).map((dimension) => `${dimension}s`);
  return lists.length === 0 ? "" : ` A credential that is limited to ${lists.join(", ")} finds those alone.`;
}

/** Who may call an endpoint, in a few sentences. */
export function describeAccess(endpoint: Endpoint): string {
  return describeCallers(endpoint) + describeLimited(endpoint);
}

function describeCallers(endpoint: Endpoint): string {
  const { access } = endpoint;
  switch (access.kind) {
    case "user": {
      if (access.tokensOnly !== undefined) return "Any user, about their own account, with an access token.";
      const isLimitedRefused = isMutation(endpoint) && !access.allowLimited;
      return `Any user, about their own account${isLimitedRefused ? ", with a credential that is not limited to one team" : ""}.`;
    }
    case "owner": {
      const { recordsAlways, recordsWhen, recordingNeeds } = endpoint;
      const when = recordsAlways ? "It" : `With \`${recordsWhen}\` it`;
      const more = recordingNeeds ? ` ${when} needs \`${recordingNeeds}\` too.` : "";
      const deleted = access.afterDeletion ? " Of a deleted team, those who were its last OWNERs." : "";
      const instance = access.orInstance ? " With `instance=true` instance administrators, with an access token." : "";
      const needs = access.alsoNeeds
        ? `permissions \`${access.permission}\` and \`${access.alsoNeeds}\``
        : `permission \`${access.permission}\``;
      return `Needs the ${needs} in the team, or is about the caller's own account.${more}${deleted}${instance}`;
    }
    case "team":
      return `Needs the permission \`${access.permission}\` in the team.`;
    case "known-team":
      return `Any user in person; membership of the team is not needed.${access.others ? ` About somebody else it needs the permission \`${access.others}\` in the team.` : ""}`;
    case "key":
      return "Any API key, about itself, whatever limits it.";
    case "instance":
      return "Instance administrators only, with an access token.";
  }
}

export function groupByStatus(codes: Iterable<ErrorCode>): [status: number, codes: ErrorCode[]][] {
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code] as number);
  return [...byStatus].toSorted(([a], [b]) => a - b);
}

/** `/v1/teams/:teamId` in the form of OpenAPI: `/v1/teams/{teamId}`. */
export function templatePath(path: string): string {
  return path.replace(/:(\w+)/g, "{$1}");
}

export function isPaginated(endpoint: Endpoint): boolean {
  return endpoint.query !== undefined && "until" in endpoint.query.properties;
}

/** Whether a change compares `If-Match` with the revision of its object. */
export function takesIfMatch(endpoint: Endpoint): boolean {
  return isMutation(endpoint) && endpoint.errors.includes("revision_mismatch");
}

export function takesIdempotencyKey(endpoint: Endpoint): boolean {
  return endpoint.method === "POST" && isMutation(endpoint);
}
