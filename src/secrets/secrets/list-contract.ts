// The list of secrets, with its filters and orders.
import { Type } from "typebox";
import { Pattern, defineContract } from "../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../platform/kernel/pagination.ts";
import { MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import { NEXT_CURSOR, sortedQuery } from "../../platform/kernel/sorted-pagination.ts";
import { NAMED_READ, Secret, TAG, clientPaths } from "./secret-schema.ts";
import { COMMAS, EPOCH_MS } from "../../platform/kernel/units.ts";

const PLACE_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}(/[a-z0-9][a-z0-9_-]{0,31})?$";

export const secretListContract = defineContract({
  listSecrets: {
    method: "GET",
    path: "/v2/secrets",
    aliases: clientPaths("/v2/secrets"),
    tag: TAG,
    summary: "List secrets, newest first",
    description:
      "Of the team in the query, else of the caller's account. Never returns values. A secret must match all of `search`, `tag`, " +
      "`usedIn` and `expiresBefore`. With filters, a page may hold fewer than `limit` while it leads to another. With `sort`, " +
      "`cursor` leads on in place of `pagination`; secrets without an end come after all others by `expiresAt`.",
    ...NAMED_READ,
    readsOwnerOnly: true,
    query: Type.Object({
      ...PAGE_QUERY,
      // At most one of the following three, and none of those after them.
      id: Type.Optional(
        Type.String({ ...COMMAS, maxLength: 3_000, description: "Only these ids, separated by commas." }),
      ),
      projectId: Type.Optional(
        Type.String({ maxLength: 128, deprecated: true, description: "Only of this project; for existing clients." }),
      ),
      deleted: Type.Optional(
        Type.Boolean({ description: "The deleted secrets that can still be restored, instead of the others." }),
      ),
      search: Type.Optional(
        Type.String({ maxLength: 100, description: "Only secrets whose name contains this, ignoring case." }),
      ),
      tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Only secrets with this tag." })),
      usedIn: Type.Optional(
        Pattern(PLACE_PATTERN, "PROJECT or PROJECT/ENVIRONMENT", {
          description:
            "Only secrets to which entries refer: own and inherited ones of an environment (`shop/production`), or those " +
            "of all environments of a project (`shop`). Needs `environment:read`.",
        }),
      ),
      expiresBefore: Type.Optional(
        Type.Integer({
          ...EPOCH_MS,
          minimum: 0,
          maximum: MAX_TIME_MS,
          description: "Only secrets that end before this time, ms.",
        }),
      ),
      ...sortedQuery(["name", "updatedAt", "expiresAt"], "the newest secret is first"),
    }),
    example: { query: { search: "database", tag: "production", sort: "name" } },
    response: Type.Object({ secrets: Type.Array(Secret), pagination: Pagination, ...NEXT_CURSOR }),
    errors: ["invalid_cursor"],
    emits: [],
  },
});
