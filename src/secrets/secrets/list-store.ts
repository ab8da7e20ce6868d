// Statements for lists of secrets, one per filter.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";
import type { SecretRow } from "./store.ts";

/** The columns that lists need: reading every column takes a quarter longer. */
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

function ownSecrets<P extends { ownerId: string }>({ db, p }: Build<P>) {
  return db.selectFrom("secrets").select(LISTED).where("owner_id", "=", p("ownerId"));
}

export const listSecrets = prepare<{ ownerId: string }>("secrets.list").page((b) =>
  ownSecrets(b).where("deleted_at", "is", null),
);

/** Secrets whose name contains a text in lower case. */
export const listFound = prepare<{ ownerId: string; search: string }>("secrets.search").page((b) =>
  ownSecrets(b)
    .where("deleted_at", "is", null)
    .where(({ ref }) => b.contains(ref("name_key"), "search")),
);

/** The list position after some secrets of an owner. */
export const findSecretPosition = prepare<{ ownerId: string }>("secrets.findPosition").positionAfter(({ db, p }) =>
  db.selectFrom("secrets").select("position").where("owner_id", "=", p("ownerId")).where("deleted_at", "is", null),
);

/** Secrets deleted after `deletedAfter`; older ones only wait to be destroyed. */
export const listDeleted = prepare<{ ownerId: string; deletedAfter: number }>("secrets.listDeleted").page((b) =>
  ownSecrets(b).where("deleted_at", "is not", null).where("deleted_at", ">", b.p("deletedAfter")),
);

/** With the bare `deleted_at`, SQLite would choose the index of existing secrets and scan all of them. */
export const listOfProject = prepare<{ ownerId: string; projectId: string }>("secrets.listOfProject").page((b) =>
  ownSecrets(b)
    .where("project_id", "=", b.p("projectId"))
    .where(sql<boolean>`deleted_at + 0 is null`),
);

/** `ids` is a JSON array. With the bare `owner_id` or `position`, an engine would scan all secrets of the owner, or of all. */
export const listChosen = prepare<{ ownerId: string; ids: string }>("secrets.listChosen").page(
  ({ db, p, elements }) =>
    db
      .selectFrom("secrets")
      .select(LISTED)
      .where("id", "in", elements("ids"))
      .where(sql<boolean>`owner_id || '' = ${p("ownerId")}`)
      .where("deleted_at", "is", null),
  sql<number>`position + 0`,
);
