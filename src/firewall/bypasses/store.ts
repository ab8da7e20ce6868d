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
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
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
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("id", ">", p("after"))
    .where((eb) => eb.or([eb("expiresAt", "is", null), eb("expiresAt", ">", p("now"))]))
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
      .select(["domain", "ip", "expiresAt"])
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where((eb) => eb.or([eb("expiresAt", "is", null), eb("expiresAt", ">", p("now"))])),
);

export const countActive = prepare<{ ownerId: string; projectId: string; now: number }>("bypasses.countActive").one(
  ({ db, p }) =>
    db
      .selectFrom("firewall_bypasses")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where((eb) => eb.or([eb("expiresAt", "is", null), eb("expiresAt", ">", p("now"))])),
);

export const insertBypass = prepare<{ now: number }>("bypasses.insert").insert("firewall_bypasses", ({ p }) => ({
  createdAt: p("now"),
  updatedAt: p("now"),
}));

export const renewBypass = prepare<
  Key & { source: string; note: string; actorId: string; expiresAt: number | null; now: number }
>("bypasses.renew").write(({ db, p, params }) =>
  db
    .updateTable("firewall_bypasses")
    .set({ ...params("source", "note", "actorId", "expiresAt"), updatedAt: p("now") })
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("id", "=", p("id")),
);

export const deleteBypass = prepare<Key>("bypasses.delete").write(({ db, p }) =>
  db
    .deleteFrom("firewall_bypasses")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("id", "=", p("id")),
);

/** Expired entries of all owners, the oldest first. */
export const listEnded = prepare<{ now: number; limit: number }>("bypasses.listEnded").many(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("firewall_bypasses")
    .select(["ownerId", "projectId", "id"])
    .where("expiresAt", "is not", null)
    .where("expiresAt", "<=", p("now"))
    .where(({ ref }) => isNotRemoved(ref("firewall_bypasses.ownerId")))
    .orderBy("expiresAt")
    .limit(p("limit")),
);
