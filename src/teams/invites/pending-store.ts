// Statements on pending invitations of people, and on the accounts that accepted the others.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import { selectIssued } from "./issuer-store.ts";
import { COLUMNS } from "./row.ts";

/** The condition of the index `invites_pending`, which both engines recognise only when it is written out. */
const IS_PENDING = sql<boolean>`invite.kind = 'email' and invite.revoked_at is null and invite.uses = 0`;

/**
 * The invites of one person: by an address in lower case, an account's id, or both. What is empty fits nobody. Found by two
 * indexes: for an `or`, SQLite would scan all invites of the team.
 */
function idsOfPerson<P extends { teamId: string; emailKey: string; userId: string }>({ db, p }: Build<P>) {
  const ofTeam = db.selectFrom("invites").select("id").where("teamId", "=", p("teamId"));
  return ofTeam.where("emailKey", "=", p("emailKey")).unionAll(ofTeam.where("userId", "=", p("userId")));
}

/** Invitations of a person under these names, newest first, expired ones included; there are a few at most. */
export const listInvitesOfPerson = prepare<{ teamId: string; emailKey: string; userId: string }>(
  "invites.listOfPerson",
).many((build) =>
  selectIssued(build)
    .where(build.isAmong(sql.ref("invite.id"), idsOfPerson(build)))
    // The ids find the rows: for `IS_PENDING`, PostgreSQL may scan all pending invitations.
    .where(sql<boolean>`invite.kind || '' = 'email' and invite.revoked_at is null and invite.uses + 0 = 0`)
    .orderBy(sql`invite.member_position + 0`, "desc"),
);

/** The invitations that go by a uid: their own id, or that of an account. */
export const listInvitesByUid = prepare<{ teamId: string; uid: string }>("invites.findNamed").many(({ db, p }) =>
  db
    .selectFrom("invites as invite")
    .select(COLUMNS)
    .where("invite.id", "in", (eb) => {
      const ofTeam = eb.selectFrom("invites").select("id").where("teamId", "=", p("teamId"));
      return ofTeam.where("id", "=", p("uid")).unionAll(ofTeam.where("userId", "=", p("uid")));
    })
    .where("invite.kind", "=", "email")
    .where("invite.revokedAt", "is", null),
);

/** The accounts that used some of the invitations. */
export const listUsersOfInvites = prepare<{ teamId: string; ids: string }>("invites.listUsers").many(
  ({ db, p, isElement }) =>
    db
      .selectFrom("invites as invite")
      .select("invite.userId")
      .where(isElement(sql.ref("invite.id"), "ids"))
      // The ids find the rows: for the bare column, SQLite would scan all invites of the team.
      .where(sql<string>`invite.team_id || ''`, "=", p("teamId"))
      .where("invite.kind", "=", "email")
      .where("invite.revokedAt", "is", null)
      .where("invite.uses", ">", 0),
);

interface PageParams {
  readonly [name: string]: string | number | null;
  readonly teamId: string;
  readonly search: string | null;
  /** The same, as a part of an address. */
  readonly address: string | null;
  readonly role: string | null;
  /** JSON array of uids, or null for all. */
  readonly uids: string | null;
  readonly excluded: string | null;
}

function pendingOf({ db, p, contains, elements }: Build<PageParams>) {
  const isNull = (name: "search" | "role" | "uids" | "excluded") => sql<boolean>`cast(${p(name)} as text) is null`;
  const isNamed = sql<boolean>`(invite.id in ${elements("uids")} or invite.user_id in ${elements("uids")})`;
  return db
    .selectFrom("invites as invite")
    .select([...COLUMNS, sql<number>`invite.member_position`.as("position")])
    .where("invite.teamId", "=", p("teamId"))
    .where(IS_PENDING)
    .where((eb) => {
      const key = eb.ref("invite.emailKey");
      return eb.or([isNull("search"), contains(key, "search"), contains(key, "address")]);
    })
    .where(sql<boolean>`(${isNull("role")} or invite.role = cast(${p("role")} as text))`)
    .where((eb) => eb.or([isNull("uids"), isNamed]))
    .where((eb) =>
      eb.or([
        isNull("excluded"),
        sql<boolean>`replace(invite.projects, cast(${p("excluded")} as text), '') = invite.projects`,
      ]),
    );
}

/** A page of the invitations of people that nobody accepted yet, with one more than it holds; expired ones included. */
export const listPendingInvites = prepare<PageParams>("invites.listPending").page(pendingOf, "invite.memberPosition");

/** The first invitations of people that nobody accepted yet, expired ones included. */
export const listFirstPending = prepare<{ teamId: string; limit: number }>("invites.listFirstPending").many(
  ({ db, p }) =>
    db
      .selectFrom("invites as invite")
      .select("invite.id")
      .where("invite.teamId", "=", p("teamId"))
      .where(IS_PENDING)
      .limit(p("limit")),
);

/** Marks the open invitations of a person who joined as used by their account. */
export const settleInvites = prepare<{ teamId: string; emailKey: string; userId: string; now: number }>(
  "invites.settle",
).write((build) =>
  build.db
    .updateTable("invites")
    .set((eb) => ({
      uses: 1,
      userId: build.p("userId"),
      updatedAt: build.p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("id", "in", idsOfPerson(build))
    .where("kind", "=", "email")
    .where("revokedAt", "is", null)
    .where("uses", "=", 0),
);

/** Updates the mutable columns of an invitation that nobody has accepted yet. */
export const updateInvite = prepare<{
  teamId: string;
  id: string;
  role: string;
  projects: string;
  teamPermissions: string;
  /** Null: who answered for it before. */
  issuedTo: string | null;
  now: number;
}>("invites.update").write(({ db, p, params }) =>
  db
    .updateTable("invites")
    .set((eb) => ({
      ...params("role", "projects", "teamPermissions"),
      issuedTo: sql<string>`coalesce(cast(${p("issuedTo")} as text), issued_to)`,
      updatedAt: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("teamId", "=", p("teamId"))
    .where("id", "=", p("id")),
);
