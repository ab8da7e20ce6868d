// Statements on lists of secrets, each filter in both directions.
import { prepare } from "../../store/prepared.ts";
import type { Build } from "../../store/prepared.ts";
import type { SecretRow } from "./store.ts";

/** What lists read of a secret: reading every column takes a quarter longer. */
const LISTED = [
  "id",
  "owner_id",
  "name",
  "team_id",
  "project_id",
  "creator_id",
  "description",
  "tags",
  "decryptable",
  "version",
  "metadata_version",
  "max_versions",
  "expires_at",
  "created_at",
  "updated_at",
  "deleted_at",
  "position",
] as const satisfies readonly (keyof SecretRow)[];
export type ListedSecret = Pick<SecretRow, (typeof LISTED)[number]>;

interface PageParams extends Record<string, string | number> {
  ownerId: string;
  after: number;
  before: number;
  limit: number;
}

function secretsBetween<P extends PageParams>({ db, p }: Build<P>) {
  return db
    .selectFrom("secrets")
    .select(LISTED)
    .where("owner_id", "=", p("ownerId"))
    .where("position", ">", p("after"))
    .where("position", "<", p("before"))
    .limit(p("limit"));
}

export const listSecretsNewestFirst = prepare<PageParams>("secrets.listNewestFirst").many((b) =>
  secretsBetween(b).where("deleted_at", "is", null).orderBy("position", "desc"),
);
export const listSecretsOldestFirst = prepare<PageParams>("secrets.listOldestFirst").many((b) =>
  secretsBetween(b).where("deleted_at", "is", null).orderBy("position"),
);
/** What was deleted after `deletedAfter`; the rest only waits to be destroyed. */
type DeletedPageParams = PageParams & { deletedAfter: number };
function deletedBetween(b: Build<DeletedPageParams>) {
  return secretsBetween(b).where("deleted_at", "is not", null).where("deleted_at", ">", b.p("deletedAfter"));
}
export const listDeletedNewestFirst = prepare<DeletedPageParams>("secrets.listDeletedNewestFirst").many((b) =>
  deletedBetween(b).orderBy("position", "desc"),
);
export const listDeletedOldestFirst = prepare<DeletedPageParams>("secrets.listDeletedOldestFirst").many((b) =>
  deletedBetween(b).orderBy("position"),
);

type ProjectPageParams = PageParams & { projectId: string };
export const listProjectNewestFirst = prepare<ProjectPageParams>("secrets.listProjectNewestFirst").many((b) =>
  secretsBetween(b)
    .where("project_id", "=", b.p("projectId"))
    .where("deleted_at", "is", null)
    .orderBy("position", "desc"),
);
export const listProjectOldestFirst = prepare<ProjectPageParams>("secrets.listProjectOldestFirst").many((b) =>
  secretsBetween(b).where("project_id", "=", b.p("projectId")).where("deleted_at", "is", null).orderBy("position"),
);

/** `ids` is a JSON array. */
type ChosenPageParams = PageParams & { ids: string };
export const listChosenNewestFirst = prepare<ChosenPageParams>("secrets.listChosenNewestFirst").many((b) =>
  secretsBetween(b).where("id", "in", b.elements("ids")).where("deleted_at", "is", null).orderBy("position", "desc"),
);
export const listChosenOldestFirst = prepare<ChosenPageParams>("secrets.listChosenOldestFirst").many((b) =>
  secretsBetween(b).where("id", "in", b.elements("ids")).where("deleted_at", "is", null).orderBy("position"),
);
