// Statements on identities: accounts of OpenID Connect providers.
import { prepare } from "../../../platform/store/prepared.ts";

export const insertIdentity = prepare<{ now: number; position: number }>("identities.insert").insert(
  "identities",
  ({ p, nextPosition }) => ({
    usedAt: p("now"),
    createdAt: p("now"),
    position: nextPosition("identities", { column: "userId", param: "userId" }),
  }),
);

/** No matter whose it is: a suspended or deleted account's too. */
export const findIdentityBySubject = prepare<{ issuer: string; subject: string }>("identities.findBySubject").one(
  ({ db, p }) =>
    db.selectFrom("identities").selectAll().where("issuer", "=", p("issuer")).where("subject", "=", p("subject")),
);

export const recordIdentityUse = prepare<{ id: string; provider: string; email: string | null; now: number }>(
  "identities.recordUse",
).write(({ db, p }) =>
  db
    .updateTable("identities")
    .set({ provider: p("provider"), email: p("email"), usedAt: p("now") })
    .where("id", "=", p("id")),
);

export const listIdentities = prepare<{ userId: string }>("identities.list").page(({ db, p }) =>
  db.selectFrom("identities").selectAll().where("userId", "=", p("userId")),
);

export const listFirstIdentities = prepare<{ userId: string; limit: number }>("identities.listFirst").many(
  ({ db, p }) =>
    db.selectFrom("identities").select("id").where("userId", "=", p("userId")).orderBy("position").limit(p("limit")),
);

export const findIdentity = prepare<{ userId: string; id: string }>("identities.find").one(({ db, p }) =>
  db.selectFrom("identities").selectAll().where("userId", "=", p("userId")).where("id", "=", p("id")),
);
export type IdentityRow = NonNullable<Awaited<ReturnType<typeof findIdentity>>>;

export const deleteIdentity = prepare<{ userId: string; id: string }>("identities.delete").write(({ db, p }) =>
  db.deleteFrom("identities").where("userId", "=", p("userId")).where("id", "=", p("id")),
);
