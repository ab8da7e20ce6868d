// Lists the entries of the bypass list that have not expired.
import type { ExpiringBypass } from "../evaluator/bundle.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { offsetLinks } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { projectOf } from "../../platform/kernel/project.ts";
import { WHOLE_PROJECT } from "./bypass-schema.ts";
import { DEFAULT_BYPASS_LIMIT } from "./contract.ts";
import type { bypassesContract } from "./contract.ts";
import { canonicalNetwork } from "./rules.ts";
import { listActive, listBypasses } from "./store.ts";
import { publicBypass } from "./view.ts";

type Query = Call<typeof bypassesContract.listBypasses>["query"];

function readNetwork(sourceIp: string | undefined): string | null {
  if (sourceIp === undefined) return null;
  const ip = canonicalNetwork(sourceIp);
  if (ip !== null) return ip;
  const field = "query.sourceIp";
  throw fieldError("invalid_query", field, "expected an address, or a network as 192.0.2.0/24");
}

function readOffset(offset: string | undefined, projectId: string): string {
  if (offset === undefined) return "";
  if (offset.startsWith(`${projectId}#`)) return offset;
  const field = "query.offset";
  throw fieldError("invalid_cursor", field, "expected the Id of another page's pagination");
}

/** The domain that an entry must have, and the domain that it must not have. */
function readDomains({ domain, projectScope }: Query): { domain: string | null; otherThan: string | null } {
  return {
    domain: domain?.toLowerCase() ?? (projectScope === true ? WHOLE_PROJECT : null),
    otherThan: projectScope === false ? WHOLE_PROJECT : null,
  };
}

export async function listPage(tx: Tx, { scope, query, now }: Call<typeof bypassesContract.listBypasses>) {
  const { ownerId } = scope;
  const { limit = DEFAULT_BYPASS_LIMIT } = query;
  const projectId = projectOf(query);
  const after = readOffset(query.offset, projectId);
  const filter = { ...readDomains(query), ip: readNetwork(query.sourceIp) };
  if (query.projectScope === true && filter.domain !== WHOLE_PROJECT) return { result: [] };
  const rows = await listBypasses(tx, { ownerId, projectId, after, now, ...filter, limit: limit + 1 });
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    result: rows.slice(0, limit).map(publicBypass),
    ...(last && { pagination: { OwnerId: ownerId, Id: last.id } }),
    links: offsetLinks(last?.id),
  };
}

/** The entries of a project that have not expired, as the evaluator expects them. */
export async function listActiveBypasses(
  tx: Tx,
  ownerId: string,
  projectId: string,
  now: number,
): Promise<ExpiringBypass[]> {
  const rows = await listActive(tx, { ownerId, projectId, now });
  return rows.map(({ domain, ip, expiresAt }) => ({
    domain: domain === WHOLE_PROJECT ? null : domain,
    ip,
    expiresAt,
  }));
}
