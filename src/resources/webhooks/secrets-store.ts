// Statements on what webhooks sign with, and on their own headers' values.
import { prepare } from "../../store/prepared.ts";
import type { Tables } from "../../store/tables/tables.ts";

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
}>("webhookSecrets.insert").run(({ db, p }) =>
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

/** Newest first; those that have ended are among them until the next rotation. */
export const listSecrets = prepare<{ ownerId: string; webhookId: string }>("webhookSecrets.list").many(({ db, p }) =>
  db
    .selectFrom("webhook_secrets")
    .selectAll()
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .orderBy("version", "desc"),
);

/** Gives what signs at present an end. */
export const endSecrets = prepare<{ ownerId: string; webhookId: string; expiresAt: number }>("webhookSecrets.end").run(
  ({ db, p }) =>
    db
      .updateTable("webhook_secrets")
      .set({ expires_at: p("expiresAt") })
      .where("webhook_id", "=", p("webhookId"))
      .where("owner_id", "=", p("ownerId"))
      .where("kind", "<>", "headers")
      .where("expires_at", "is", null),
);

/** Forgets what has an end, whether it has come or not. */
export const deleteEnding = prepare<{ ownerId: string; webhookId: string }>("webhookSecrets.deleteEnding").run(
  ({ db, p }) =>
    db
      .deleteFrom("webhook_secrets")
      .where("webhook_id", "=", p("webhookId"))
      .where("owner_id", "=", p("ownerId"))
      .where("expires_at", "is not", null),
);

export const deleteKind = prepare<{ ownerId: string; webhookId: string; kind: string }>(
  "webhookSecrets.deleteKind",
).run(({ db, p }) =>
  db
    .deleteFrom("webhook_secrets")
    .where("webhook_id", "=", p("webhookId"))
    .where("owner_id", "=", p("ownerId"))
    .where("kind", "=", p("kind")),
);
