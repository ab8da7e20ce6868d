// Statements on the sealed values of webhooks: signing secrets, key pairs, and the values of their own headers.
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type SecretRow = Tables["webhook_secrets"];

export const insertSecret = prepare<{
  ownerId: string;
  webhookId: string;
  version: number;
  kind: string;
  now: number;
  keyId: string;
  wrappedKey: Uint8Array;
  ciphertext: Uint8Array;
}>("webhookSecrets.insert").write(({ db, p }) =>
  db.insertInto("webhook_secrets").values({
    owner_id: p("ownerId"),
    webhook_id: p("webhookId"),
    version: p("version"),
    kind: p("kind"),
    created_at: p("now"),
    expires_at: null,
    key_id: p("keyId"),
    wrapped_key: p("wrappedKey"),
    ciphertext: p("ciphertext"),
  }),
);

/** Newest first; expired ones are included until the next rotation. */
export const listSecrets = prepare<{ ownerId: string; webhookId: string }>("webhookSecrets.list").many(({ db, p }) =>
  db
    .selectFrom("webhook_secrets")
    .selectAll()
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .orderBy("version", "desc"),
);

/** Sets when the present secret and key expire. */
export const expireSecrets = prepare<{ ownerId: string; webhookId: string; expiresAt: number }>(
  "webhookSecrets.end",
).write(({ db, p }) =>
  db
    .updateTable("webhook_secrets")
    .set({ expires_at: p("expiresAt") })
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("kind", "<>", "headers")
    .where("expires_at", "is", null),
);

/** Deletes all that expire, whether they have or not. */
export const deleteExpiring = prepare<{ ownerId: string; webhookId: string }>("webhookSecrets.deleteEnding").write(
  ({ db, p }) =>
    db
      .deleteFrom("webhook_secrets")
      .where("webhook_id", "=", p("webhookId"))
      .where("owner_id", "=", p("ownerId"))
      .where("expires_at", "is not", null),
);

export const deleteKind = prepare<{ ownerId: string; webhookId: string; kind: string }>(
  "webhookSecrets.deleteKind",
).write(({ db, p }) =>
  db
    .deleteFrom("webhook_secrets")
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("kind", "=", p("kind")),
);
