// Statements on bypass rules.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type BypassRuleRow = Tables["firewall_bypass_rules"];

type Project = { ownerId: string; projectId: string };
type Key = Project & { domain: string };

export const findBypassRule = prepare<Key>("bypassRules.find").one(({ db, p }) =>
  db
    .selectFrom("firewall_bypass_rules")
    .selectAll()
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("domain", "=", p("domain")),
);

/** The rules after the domain `after`, by domain; only the rule of `domain` unless it is null. */
export const listBypassRules = prepare<Project & { after: string; domain: string | null; limit: number }>(
  "bypassRules.list",
).many(({ db, p }) =>
  db
    .selectFrom("firewall_bypass_rules")
    .selectAll()
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("domain", ">", p("after"))
    .where(sql<boolean>`(cast(${p("domain")} as text) is null or domain = ${p("domain")})`)
    .orderBy("domain")
    .limit(p("limit")),
);

/** The number and the total cost of a project's rules, except the rule of one domain. */
export const measureOthers = prepare<Key>("bypassRules.measureOthers").one(({ db, p }) =>
  db
    .selectFrom("firewall_bypass_rules")
    .select(({ fn }) => [
      fn.countAll<number>().as("count"),
      sql<number>`cast(coalesce(sum(cost), 0) as bigint)`.as("cost"),
    ])
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("domain", "<>", p("domain")),
);

export const insertBypassRule = prepare<
  Key & { conditionGroup: string; cost: number; note: string; actorId: string; now: number }
>("bypassRules.insert").write(({ db, p }) =>
  db.insertInto("firewall_bypass_rules").values({
    owner_id: p("ownerId"),
    project_id: p("projectId"),
    domain: p("domain"),
    condition_group: p("conditionGroup"),
    cost: p("cost"),
    note: p("note"),
    creator_id: p("actorId"),
    actor_id: p("actorId"),
    created_at: p("now"),
    updated_at: p("now"),
  }),
);

export const replaceBypassRule = prepare<
  Key & { conditionGroup: string; cost: number; note: string; actorId: string; now: number }
>("bypassRules.replace").write(({ db, p }) =>
  db
    .updateTable("firewall_bypass_rules")
    .set({
      condition_group: p("conditionGroup"),
      cost: p("cost"),
      note: p("note"),
      actor_id: p("actorId"),
      updated_at: p("now"),
    })
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("domain", "=", p("domain")),
);

export const deleteBypassRule = prepare<Key>("bypassRules.delete").write(({ db, p }) =>
  db
    .deleteFrom("firewall_bypass_rules")
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("domain", "=", p("domain")),
);
