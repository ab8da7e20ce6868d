// Statements on the bypass list.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { ALL_SOURCES } from "./bypass-schema.ts";

export type BypassRow = Tables["firewall_bypasses"];

type Key = { ownerId: string; projectId: string; id: string };

/** Finds an entry, expired or not. */
export const findBypass = prepare<Key>("bypasses.find").one(({ db, p }) =>
  db
    .selectFrom("firewall_bypasses")
    .selectAll()
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("id", "=", p("id")),
);

/**
 * The entries that have not expired after the entry `after`, by id. Each filter may be null: `domain`, `otherThan` (entries
 * with another domain) and `ip` (the canonical network).
 */
export const listBypasses = prepare<{
  ownerId: string;
  projectId: string;
  after: string;
  now: number;
  domain: string | null;
  otherThan: string | null;
  ip: string | null;
  limit: number;
}>("bypasses.list").many(({ db, p }) =>
  db
    .selectFrom("firewall_bypasses")
    .selectAll()
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("id", ">", p("after"))
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", p("now"))]))
    .where(sql<boolean>`(cast(${p("domain")} as text) is null or domain = ${p("domain")})`)
    .where(sql<boolean>`(cast(${p("otherThan")} as text) is null or domain <> ${p("otherThan")})`)
    .where(sql<boolean>`(cast(${p("ip")} as text) is null or coalesce(ip, ${ALL_SOURCES}) = ${p("ip")})`)
    .orderBy("id")
    .limit(p("limit")),
);

/** The entries that have not expired. Their number per project is bounded. */
export const listActive = prepare<{ ownerId: string; projectId: string; now: number }>("bypasses.listActive").many(
  ({ db, p }) =>
    db
      .selectFrom("firewall_bypasses")
      .select(["domain", "ip", "expires_at"])
      .where("owner_id", "=", p("ownerId"))
      .where("project_id", "=", p("projectId"))
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", p("now"))])),
);

export const countActive = prepare<{ ownerId: string; projectId: string; now: number }>("bypasses.countActive").one(
  ({ db, p }) =>
    db
      .selectFrom("firewall_bypasses")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("owner_id", "=", p("ownerId"))
      .where("project_id", "=", p("projectId"))
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", p("now"))])),
);

export const insertBypass = prepare<
  Key & {
    domain: string;
    ip: string | null;
    source: string;
    note: string;
    actorId: string;
    expiresAt: number | null;
    now: number;
  }
>("bypasses.insert").write(({ db, p }) =>
  db.insertInto("firewall_bypasses").values({
    owner_id: p("ownerId"),
    project_id: p("projectId"),
    id: p("id"),
    domain: p("domain"),
    ip: p("ip"),
    source: p("source"),
    note: p("note"),
    actor_id: p("actorId"),
    expires_at: p("expiresAt"),
    created_at: p("now"),
    updated_at: p("now"),
  }),
);

export const renewBypass = prepare<
  Key & { source: string; note: string; actorId: string; expiresAt: number | null; now: number }
>("bypasses.renew").write(({ db, p }) =>
  db
    .updateTable("firewall_bypasses")
    .set({
      source: p("source"),
      note: p("note"),
      actor_id: p("actorId"),
      expires_at: p("expiresAt"),
      updated_at: p("now"),
    })
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("id", "=", p("id")),
);

export const deleteBypass = prepare<Key>("bypasses.delete").write(({ db, p }) =>
  db
    .deleteFrom("firewall_bypasses")
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("id", "=", p("id")),
);

/** Expired entries of all owners, the oldest first. */
export const listEnded = prepare<{ now: number; limit: number }>("bypasses.listEnded").many(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("firewall_bypasses")
    .select(["owner_id", "project_id", "id"])
    .where("expires_at", "is not", null)
    .where("expires_at", "<=", p("now"))
    .where(({ ref }) => isNotRemoved(ref("firewall_bypasses.owner_id")))
    .orderBy("expires_at")
    .limit(p("limit")),
);
