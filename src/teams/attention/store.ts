// The statement that counts what needs somebody. It reads tables of every area, each by an index of what it counts.
import { sql } from "kysely";
import type { Expression } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

/** 1: counted; 0: null. */
type May = Readonly<Record<"members" | "webhooks" | "keys" | "secrets" | "firewall", number>>;

type Asked = May & {
  /** Up to how many of each are counted. */
  readonly most: number;
  readonly ownerId: string;
  readonly now: number;
  /** Secrets that end before are counted, ms. */
  readonly soon: number;
};

export const countAttention = prepare<Asked>("attention.count").one(({ db, p, isNotRemoved }) => {
  const count = (may: keyof May, rows: Expression<unknown>) =>
    sql<number | null>`case when cast(${p(may)} as integer) = 1
      then (select count(*) from (select 1 from ${rows} as found limit ${p("most")}) as counted) end`;
  const own = (table: "webhooks" | "webhook_queues" | "api_keys" | "identity_trusts" | "firewalls", is: string) =>
    sql`(select 1 from ${sql.table(table)} where owner_id = ${p("ownerId")} and ${sql.raw(is)})`;
  // Conditions that an index repeats are text of the statement: of a parameter, PostgreSQL can't know that it meets them.
  const asking = db
    .selectFrom("memberships")
    .select("teamId")
    .where("teamId", "=", p("ownerId"))
    .where("state", "=", sql.lit("requested"))
    .where(({ ref }) => isNotRemoved(ref("memberships.userId")));
  return db.selectNoFrom([
    count("members", asking).as("members"),
    count(
      "webhooks",
      own(
        "webhook_queues",
        "failing_since is not null and deleted_at is null and exists (select 1 from webhooks where id = webhook_id and is_active = 1)",
      ),
    ).as("failing"),
    count("webhooks", own("webhooks", "is_active = 0 and inactive_reason <> 'request'")).as("disabled"),
    count("keys", own("api_keys", "suspended_at is not null and trust_id is null")).as("apiKeys"),
    count("keys", own("identity_trusts", "suspended_at is not null")).as("trustRules"),
    count(
      "secrets",
      db
        .selectFrom("secrets")
        .select("id")
        .where("ownerId", "=", p("ownerId"))
        .where("deletedAt", "is", null)
        .where("endsAt", "<", p("soon")),
    ).as("secrets"),
    count(
      "firewall",
      db
        .selectFrom("attack_modes")
        .select("projectId")
        .where("ownerId", "=", p("ownerId"))
        .where(sql<boolean>`is_enabled = 1`)
        .where(({ eb, or }) => or([eb("activeUntil", "is", null), eb("activeUntil", ">", p("now"))])),
    ).as("attackModes"),
    count("firewall", own("firewalls", "draft_updated_at is not null")).as("drafts"),
  ]);
});
