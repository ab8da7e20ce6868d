// Selects the statement for a list: each filter has its own, so that none reads more rows than it returns.
import type { Call } from "../../kernel/contract.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { PageBounds } from "../../kernel/pagination.ts";
import type { Awaitable, Tx } from "../../kernel/tx.ts";
import type { secretsContract } from "./contract.ts";
import { RESTORABLE_MS } from "./rules.ts";
import { listChosen, listDeleted, listOfProject, listSecrets } from "./list-store.ts";
import type { ListedSecret } from "./list-store.ts";

/** Reads one row more than the page holds. */
export function listPage(
  tx: Tx,
  call: Pick<Call<typeof secretsContract.listSecrets>, "scope" | "query" | "now">,
  bounds: PageBounds,
): Awaitable<ListedSecret[]> {
  const { ownerId } = call.scope;
  const { id, projectId, deleted } = call.query;
  if ([id, projectId, deleted || undefined].filter((filter) => filter !== undefined).length > 1) {
    throw new ApiError("invalid_query", "id, projectId and deleted: expected one of them at most");
  }
  if (id !== undefined) return listChosen(tx, { ownerId, ids: JSON.stringify(id.split(",")) }, bounds);
  if (projectId !== undefined) return listOfProject(tx, { ownerId, projectId }, bounds);
  if (deleted) return listDeleted(tx, { ownerId, deletedAfter: call.now - RESTORABLE_MS }, bounds);
  return listSecrets(tx, { ownerId }, bounds);
}
