// Statements that read and insert complete secrets.
import { prepare } from "../../../platform/store/prepared.ts";
import { insertingSecret } from "../store.ts";
import type { NewSecretRow } from "../store.ts";

export const countSecrets = prepare<{ ownerId: string }>("secretArchive.count").one(({ db, p }) =>
  db
    .selectFrom("secrets")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("ownerId", "=", p("ownerId"))
    .where("deletedAt", "is", null),
);

/** All versions that are kept of a secret, at most a hundred, with their sealed values. */
export const listKeptVersions = prepare<{ ownerId: string; secretId: string }>("secretArchive.listVersions").many(
  ({ db, p }) =>
    db
      .selectFrom("secret_versions")
      .selectAll()
      .where("ownerId", "=", p("ownerId"))
      .where("secretId", "=", p("secretId"))
      .orderBy("version"),
);

/** Does nothing when a secret of the store has the id already; returns the number of inserted rows. */
export const insertSecretOnce = prepare<NewSecretRow>("secretArchive.insertSecret").run((b) =>
  insertingSecret(b).onConflict((conflict) => conflict.column("id").doNothing()),
);
