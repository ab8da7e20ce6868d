// Statements on the tags of secrets, which are stored once more to be found by.
import type { Awaitable, Tx } from "../../platform/kernel/tx.ts";
import { prepare } from "../../platform/store/prepared.ts";
import { parseStored } from "../../platform/kernel/text/stored-json.ts";

const insertTags = prepare<{ ownerId: string; secretId: string; tags: string }>("secretTags.insert").write(
  ({ db, p, objects, member }) =>
    db
      .insertInto("secret_tags")
      .columns(["ownerId", "tag", "position", "secretId"])
      .expression((eb) =>
        eb
          .selectFrom("secrets")
          .innerJoin(objects("tags"), (join) => join.onTrue())
          .select(["secrets.ownerId", member("tag").as("tag"), "secrets.position", "secrets.id"])
          .where("secrets.ownerId", "=", p("ownerId"))
          .where("secrets.id", "=", p("secretId")),
      ),
);

const deleteTags = prepare<{ ownerId: string; secretId: string }>("secretTags.delete").write(({ db, p }) =>
  db.deleteFrom("secret_tags").where("secretId", "=", p("secretId")).where("ownerId", "=", p("ownerId")),
);

/** `tags` as the secret stores them. */
interface Tagged {
  readonly ownerId: string;
  readonly id: string;
  readonly tags: string;
}

/** Makes a new secret found by its tags. */
export function addTags(tx: Tx, { ownerId, id, tags }: Tagged): Awaitable<void> {
  const objects = (parseStored(tags) as readonly string[]).map((tag) => ({ tag }));
  if (objects.length > 0) return insertTags(tx, { ownerId, secretId: id, tags: JSON.stringify(objects) });
}

/** The same of a secret whose tags have changed. */
export async function replaceTags(
  tx: Tx,
  { ownerId, id, tags }: { readonly ownerId: string; readonly id: string; readonly tags: string },
): Promise<void> {
  await deleteTags(tx, { ownerId, secretId: id });
  await addTags(tx, { ownerId, id, tags });
}
