// Statements on lists of secrets, one for each filter.
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

function ownSecrets<P extends { ownerId: string }>({ db, p }: Build<P>) {
  return db.selectFrom("secrets").select(LISTED).where("owner_id", "=", p("ownerId"));
}

function livingSecrets<P extends { ownerId: string }>(b: Build<P>) {
  return ownSecrets(b).where("deleted_at", "is", null);
}

export const listSecrets = prepare<{ ownerId: string }>("secrets.list").page(livingSecrets);

/** What was deleted after `deletedAfter`; the rest only waits to be destroyed. */
export const listDeleted = prepare<{ ownerId: string; deletedAfter: number }>("secrets.listDeleted").page((b) =>
  ownSecrets(b).where("deleted_at", "is not", null).where("deleted_at", ">", b.p("deletedAfter")),
);

export const listOfProject = prepare<{ ownerId: string; projectId: string }>("secrets.listOfProject").page((b) =>
  livingSecrets(b).where("project_id", "=", b.p("projectId")),
);

/** `ids` is a JSON array. */
export const listChosen = prepare<{ ownerId: string; ids: string }>("secrets.listChosen").page((b) =>
  livingSecrets(b).where("id", "in", b.elements("ids")),
);
