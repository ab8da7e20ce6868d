// Which secrets a list shows: each filter has statements of its own, so that none reads more rows than it answers.
import type { Call } from "../../kernel/contract.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { PageBounds } from "../../kernel/pagination.ts";
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import type { secretsContract } from "./contract.ts";
import { RESTORABLE_MS } from "./rules.ts";
import {
  listChosenNewestFirst,
  listChosenOldestFirst,
  listDeletedNewestFirst,
  listDeletedOldestFirst,
  listProjectNewestFirst,
  listProjectOldestFirst,
  listSecretsNewestFirst,
  listSecretsOldestFirst,
} from "./list-store.ts";
import type { ListedSecret } from "./list-store.ts";

/** One row more than the page takes. */
export function listPage(
  tx: Tx,
  { scope, query, now }: Pick<Call<typeof secretsContract.listSecrets>, "scope" | "query" | "now">,
  { after, before, limit, isForward }: PageBounds,
): Awaitable<ListedSecret[]> {
  if ([query.id, query.projectId, query.deleted || undefined].filter((filter) => filter !== undefined).length > 1) {
    throw new ApiError("invalid_query", "query.id, query.projectId and query.deleted: expected one of them at most");
  }
  const page = { ownerId: scope.ownerId, after, before, limit: limit + 1 };
  if (query.id !== undefined) {
    const ids = JSON.stringify(query.id.split(","));
    return (isForward ? listChosenOldestFirst : listChosenNewestFirst)(tx, { ...page, ids });
  }
  if (query.projectId !== undefined) {
    const { projectId } = query;
    return (isForward ? listProjectOldestFirst : listProjectNewestFirst)(tx, { ...page, projectId });
  }
  if (query.deleted) {
    const deletedAfter = now - RESTORABLE_MS;
    return (isForward ? listDeletedOldestFirst : listDeletedNewestFirst)(tx, { ...page, deletedAfter });
  }
  return (isForward ? listSecretsOldestFirst : listSecretsNewestFirst)(tx, page);
}
