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
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("domain", "=", p("domain")),
);

/** The rules after the domain `after`, by domain; only the rule of `domain` unless it is null. */
export const listBypassRules = prepare<Project & { after: string; domain: string | null; limit: number }>(
  "bypassRules.list",
).many(({ db, p }) =>
  db
    .selectFrom("firewall_bypass_rules")
    .selectAll()
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
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
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("domain", "<>", p("domain")),
);

export const insertBypassRule = prepare<Key & { now: number }>("bypassRules.insert").insert(
  "firewall_bypass_rules",
  ({ p }) => ({ creatorId: p("actorId"), createdAt: p("now"), updatedAt: p("now") }),
);

export const replaceBypassRule = prepare<
  Key & { conditionGroup: string; cost: number; note: string; actorId: string; now: number }
>("bypassRules.replace").write(({ db, p, params }) =>
  db
    .updateTable("firewall_bypass_rules")
    .set({ ...params("conditionGroup", "cost", "note", "actorId"), updatedAt: p("now") })
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("domain", "=", p("domain")),
);

export const deleteBypassRule = prepare<Key>("bypassRules.delete").write(({ db, p }) =>
  db
    .deleteFrom("firewall_bypass_rules")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("domain", "=", p("domain")),
);
