// Statements on the sealed values of webhooks: signing secrets, key pairs, and the values of their own headers.
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type SecretRow = Tables["webhook_secrets"];

export const insertSecret = prepare<{ now: number }>("webhookSecrets.insert").insert("webhook_secrets", ({ p }) => ({
  createdAt: p("now"),
  expiresAt: null,
}));

/** Newest first; expired ones are included until the next rotation. */
export const listSecrets = prepare<{ ownerId: string; webhookId: string }>("webhookSecrets.list").many(({ db, p }) =>
  db
    .selectFrom("webhook_secrets")
    .selectAll()
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .orderBy("version", "desc"),
);

/** Sets when the present secret and key expire. */
export const expireSecrets = prepare<{ ownerId: string; webhookId: string; expiresAt: number }>(
  "webhookSecrets.end",
).write(({ db, p }) =>
  db
    .updateTable("webhook_secrets")
    .set({ expiresAt: p("expiresAt") })
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("kind", "<>", "headers")
    .where("expiresAt", "is", null),
);

/** Deletes all that expire, whether they have or not. */
export const deleteExpiring = prepare<{ ownerId: string; webhookId: string }>("webhookSecrets.deleteEnding").write(
  ({ db, p }) =>
    db
      .deleteFrom("webhook_secrets")
      .where("webhookId", "=", p("webhookId"))
      .where("ownerId", "=", p("ownerId"))
      .where("expiresAt", "is not", null),
);

export const deleteKind = prepare<{ ownerId: string; webhookId: string; kind: string }>(
  "webhookSecrets.deleteKind",
).write(({ db, p }) =>
  db
    .deleteFrom("webhook_secrets")
    .where("webhookId", "=", p("webhookId"))
    .where("ownerId", "=", p("ownerId"))
    .where("kind", "=", p("kind")),
);
