// Statements on the versions of secrets.
import { sql } from "kysely";
import { prepare } from "../../../platform/store/prepared.ts";
import type { Tables } from "../../../platform/store/tables/tables.ts";

/** Of the partial index. */
export const LARGE_VALUE = 4_096;

export type VersionRow = Tables["secret_versions"];

export const insertVersion = prepare<{ now: number; position: number }>("secretVersions.insert").insert(
  "secret_versions",
  ({ p, nextPosition }) => ({
    createdAt: p("now"),
    position: nextPosition("secret_versions", { column: "secretId", param: "secretId" }, "position", "version"),
  }),
);

/** The bytes of an owner's values of more than 4 KiB. */
export const sumLargeValues = prepare<{ ownerId: string }>("secretVersions.sumLarge").one(({ db, p }) =>
  db
    .selectFrom("secret_versions")
    .select(({ fn }) => fn.coalesce(fn.sum<number>("size"), sql<number>`0`).as("bytes"))
    .where("ownerId", "=", p("ownerId"))
    // A literal, because the partial index is used only for its own condition.
    .where("size", ">", sql.lit(LARGE_VALUE)),
);

/** One version with its sealed value. */
export const findVersion = prepare<{ ownerId: string; secretId: string; version: number }>("secretVersions.find").one(
  ({ db, p }) =>
    db
      .selectFrom("secret_versions")
      .selectAll()
      .where("ownerId", "=", p("ownerId"))
      .where("secretId", "=", p("secretId"))
      .where("version", "=", p("version")),
);

/** Every column but the sealed value. */
const METADATA = [
  "version",
  "encoding",
  "size",
  "restoredFrom",
  "creatorId",
  "createdAt",
  "position",
] as const satisfies readonly (keyof VersionRow)[];
export type VersionMetadata = Pick<VersionRow, (typeof METADATA)[number]>;

export const listVersions = prepare<{ ownerId: string; secretId: string }>("secretVersions.list").page(({ db, p }) =>
  db
    .selectFrom("secret_versions")
    .select(METADATA)
    .where("ownerId", "=", p("ownerId"))
    .where("secretId", "=", p("secretId")),
);

/** Deletes the versions up to `last`. */
export const deleteVersionsUpTo = prepare<{ ownerId: string; secretId: string; last: number }>(
  "secretVersions.deleteUpTo",
).write(({ db, p }) =>
  db
    .deleteFrom("secret_versions")
    .where("ownerId", "=", p("ownerId"))
    .where("secretId", "=", p("secretId"))
    .where("version", "<=", p("last")),
);
