// Statements on the versions of secrets.
import { prepare } from "../../../platform/store/prepared.ts";
import type { Tables } from "../../../platform/store/tables/tables.ts";
import { selectTotal } from "../../../platform/store/version-totals.ts";

export type VersionRow = Tables["secret_versions"];

export const insertVersion = prepare<{ now: number; position: number }>("secretVersions.insert").insert(
  "secret_versions",
  ({ p, nextPosition }) => ({
    createdAt: p("now"),
    position: nextPosition("secret_versions", { column: "secretId", param: "secretId" }, "position", "version"),
  }),
);

/** The bytes of an owner's large values. */
export const sumLargeValues = prepare<{ ownerId: string }>("secretVersions.sumLarge").one((build) =>
  selectTotal(build, "secret_versions"),
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
