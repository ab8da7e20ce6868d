// Statements on webhooks.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type WebhookRow = Tables["webhooks"];

const SETTINGS = [
  "url",
  "events",
  "projectIds",
  "description",
  "ordering",
  "concurrency",
  "rateLimit",
  "isActive",
  "inactiveReason",
  "inactiveSince",
  "headerNames",
  "logsResponses",
  "publicKey",
  "lastSecret",
] as const satisfies readonly (keyof WebhookRow)[];

/** The columns that a change replaces. */
export type WebhookSettings = Pick<WebhookRow, (typeof SETTINGS)[number]>;

type Key = { ownerId: string; id: string };

export const insertWebhook = prepare<{ now: number; position: number }>("webhooks.insert").insert(
  "webhooks",
  ({ p, nextPosition }) => ({
    createdAt: p("now"),
    updatedAt: p("now"),
    position: nextPosition("webhooks", { column: "ownerId", param: "ownerId" }),
    revision: 1,
  }),
);

/** With the receiver's health from its queue, and when the previous secret expires or expired. */
function foundWebhooks<P extends { ownerId: string }>({ db, p }: Build<P>) {
  return db
    .selectFrom("webhooks")
    .innerJoin("webhook_queues as queue", "queue.webhookId", "webhooks.id")
    .selectAll("webhooks")
    .select([
      "queue.failingSince",
      sql<number | null>`(select max(expires_at) from webhook_secrets as secret
        where secret.webhook_id = webhooks.id)`.as("previousExpiresAt"),
    ])
    .where("webhooks.ownerId", "=", p("ownerId"));
}

export const findWebhook = prepare<Key>("webhooks.find").one((b) =>
  foundWebhooks(b).where("webhooks.id", "=", b.p("id")),
);
export type FoundWebhook = NonNullable<Awaited<ReturnType<typeof findWebhook>>>;

/** Unless `projectId` is null, only the webhooks that get events of that project. */
export const listWebhooks = prepare<{ ownerId: string; projectId: string | null }>("webhooks.list").page((b) => {
  const { p } = b;
  return foundWebhooks(b).where(
    // It looks for a member of a JSON array: names of projects contain no quotes.
    sql<boolean>`(cast(${p("projectId")} as text) is null or project_ids is null
          or replace(project_ids, '"' || ${p("projectId")} || '"', '') <> project_ids)`,
  );
});

export const countWebhooks = prepare<{ ownerId: string }>("webhooks.count").one(({ db, p }) =>
  db.selectFrom("owners").select("webhooks as count").where("id", "=", p("ownerId")),
);

export const updateWebhook = prepare<WebhookSettings & Key & { now: number }>("webhooks.update").write(
  ({ db, p, params }) =>
    db
      .updateTable("webhooks")
      .set((eb) => ({ ...params(...SETTINGS), updatedAt: p("now"), revision: eb("revision", "+", 1) }))
      .where("id", "=", p("id"))
      .where("ownerId", "=", p("ownerId")),
);

export const deleteWebhook = prepare<Key>("webhooks.delete").write(({ db, p }) =>
  db.deleteFrom("webhooks").where("id", "=", p("id")).where("ownerId", "=", p("ownerId")),
);

/** Sets the number to 0 for a deleted owner. */
export const resetCount = prepare<{ ownerId: string }>("webhooks.forgetCount").write(({ db, p }) =>
  db
    .updateTable("owners")
    .set({ webhooks: sql.lit(0) })
    .where("id", "=", p("ownerId")),
);

/** The webhooks of an owner, from the one that the newest event below a sequence was for. */
export const listLatestWebhooks = prepare<{ ownerId: string; before: number; limit: number }>(
  "webhooks.listLatest",
).many(({ db, p }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom("webhooks")
        .select((inner) => [
          "webhooks.id",
          "webhooks.position",
          inner
            .selectFrom("webhook_deliveries as delivery")
            .select((newest) => newest.fn.max("delivery.sequence").as("sequence"))
            .whereRef("delivery.webhookId", "=", "webhooks.id")
            .where("delivery.sequence", "<", p("before"))
            .as("newest"),
        ])
        .where("webhooks.ownerId", "=", p("ownerId"))
        .as("latest"),
    )
    .select("latest.id")
    .orderBy(sql`coalesce(latest.newest, 0)`, "desc")
    .orderBy("latest.position", "desc")
    .limit(p("limit")),
);
