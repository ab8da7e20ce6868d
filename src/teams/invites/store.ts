// Statements on invitations of e-mail addresses and on shareable codes. Revoked ones stay, so that their codes can
// be told from unknown ones.
import { sql } from "kysely";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import { ROLE_PERMISSIONS, TEAM_ROLES } from "../../platform/kernel/roles.ts";
import { emailKey } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { prepare } from "../../platform/store/prepared.ts";
import { issuedOf, issuersOf, selectIssued } from "./issuer-store.ts";
import { COLUMNS, inviteOf } from "./row.ts";
import type { FoundCode, Invite } from "./row.ts";

const insert = prepare<{ suffix: string; now: number; position: number }>("invites.insert").insert(
  "invites",
  ({ p, nextPosition, greatest }) => ({
    teamPermissions: "[]",
    codeSuffix: p("suffix"),
    uses: 0,
    revokedAt: null,
    isMailed: 0,
    createdAt: p("now"),
    updatedAt: p("now"),
    position: nextPosition("invites", { column: "teamId", param: "teamId" }),
    // Invited people and members share one list.
    memberPosition: sql<number | null>`case when cast(${p("kind")} as text) = 'email' then ${greatest(
      nextPosition("invites", { column: "teamId", param: "teamId" }, "memberPosition"),
      nextPosition("memberships", { column: "teamId", param: "teamId" }),
    )} end`,
    revision: 1,
  }),
);

export async function insertInvite(
  tx: Tx,
  invite: Invite,
  { codeHash, issuedTo, position }: { readonly codeHash: string; readonly issuedTo: string; readonly position: number },
): Promise<void> {
  const { email, projects, createdAt } = invite;
  await insert(tx, {
    ...invite,
    emailKey: email === null ? null : emailKey(email),
    projects: JSON.stringify(projects),
    codeHash,
    issuedTo,
    now: createdAt,
    position,
  });
}

const findById = prepare<{ teamId: string; id: string }>("invites.findById").one(({ db, p }) =>
  db.selectFrom("invites as invite").select(COLUMNS).where("invite.teamId", "=", p("teamId")).where("id", "=", p("id")),
);

const findByHash = prepare<{ teamId: string; codeHash: string }>("invites.findByHash").one(({ db, p }) =>
  db
    .selectFrom("invites as invite")
    .select(COLUMNS)
    .where("invite.teamId", "=", p("teamId"))
    .where("codeHash", "=", p("codeHash")),
);

export async function findInvite(
  tx: Tx,
  teamId: string,
  by: { readonly id: string } | { readonly codeHash: string },
): Promise<Invite | undefined> {
  const row = "id" in by ? await findById(tx, { teamId, ...by }) : await findByHash(tx, { teamId, ...by });
  return row && inviteOf(row);
}

const findWithTeam = prepare<{ codeHash: string }>("invites.findWithTeam").one((build) =>
  selectIssued(build)
    .innerJoin("teams as team", "team.id", "invite.teamId")
    .select(["team.slug as teamSlug", "team.name as teamName"])
    .where("invite.codeHash", "=", build.p("codeHash"))
    .where(({ ref }) => build.isNotRemoved(ref("invite.teamId"))),
);

const INVITING = TEAM_ROLES.filter((role) => ROLE_PERMISSIONS[role].includes("invite:manage"));

/** The code of a team's join link. */
export const findJoinLink = prepare<{ teamId: string }>("invites.findJoinLink").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("teams")
    .select("inviteCode")
    .where("id", "=", p("teamId"))
    .where(({ ref }) => isNotRemoved(ref("teams.id"))),
);

export const replaceJoinLink = prepare<{ teamId: string; inviteCode: string; now: number }>(
  "invites.replaceJoinLink",
).write(({ db, p }) =>
  db
    .updateTable("teams")
    .set((eb) => ({ inviteCode: p("inviteCode"), updatedAt: p("now"), revision: eb("revision", "+", 1) }))
    .where("id", "=", p("teamId")),
);

/** Not while an account that was deleted has yet to leave the team: it may have seen the link, which is renewed then. */
const findTeamOfLink = prepare<{ code: string }>("invites.findTeamOfLink").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("teams")
    .select(["id", "slug", "name", "settings"])
    .where("inviteCode", "=", p("code"))
    .where(({ ref }) => isNotRemoved(ref("teams.id")))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("removals as leaving")
            .innerJoin("memberships as m", "m.userId", "leaving.ownerId")
            .select("m.userId")
            .whereRef("m.teamId", "=", "teams.id")
            .where("m.state", "=", "member")
            .where("m.role", "in", INVITING),
        ),
      ),
    ),
);

/**
 * Finds the invite or join link of a code. It is the only lookup across all teams, because the person who sends the code knows
 * nothing else.
 */
export async function findCodeAnywhere(tx: Tx, code: string, codeHash: string): Promise<FoundCode | undefined> {
  const row = await findWithTeam(tx, { codeHash });
  if (row) {
    const { teamSlug, teamName, ...issued } = row;
    return { team: { id: row.teamId, slug: teamSlug, name: teamName }, opened: issuedOf(issued) };
  }
  const link = await findTeamOfLink(tx, { code });
  if (!link) return undefined;
  const { settings, ...team } = link;
  return { team, opened: { settings } };
}

/** Counts one use of an invite. */
export const useInvite = prepare<{ teamId: string; id: string; now: number }>("invites.use").write(({ db, p }) =>
  db
    .updateTable("invites")
    .set((eb) => ({ uses: eb("uses", "+", 1), updatedAt: p("now"), revision: eb("revision", "+", 1) }))
    .where("teamId", "=", p("teamId"))
    .where("id", "=", p("id")),
);

export const revokeInvite = prepare<{ teamId: string; id: string; now: number }>("invites.revoke").write(({ db, p }) =>
  db
    .updateTable("invites")
    .set((eb) => ({ revokedAt: p("now"), updatedAt: p("now"), revision: eb("revision", "+", 1) }))
    .where("teamId", "=", p("teamId"))
    .where("id", "=", p("id"))
    .where("revokedAt", "is", null),
);

/** Revokes the working codes that a person answers for. */
export const revokeIssuedCodes = prepare<{ teamId: string; userId: string; now: number }>("invites.revokeIssued").many(
  ({ db, p }) =>
    db
      .updateTable("invites")
      .set((eb) => ({ revokedAt: p("now"), updatedAt: p("now"), revision: eb("revision", "+", 1) }))
      .where("teamId", "=", p("teamId"))
      .where("kind", "=", "code")
      .where("revokedAt", "is", null)
      .where("expiresAt", ">", p("now"))
      .where((eb) => eb.or([eb("maxUses", "is", null), eb("uses", "<", eb.ref("maxUses"))]))
      .where("issuedTo", "in", issuersOf({ db, p }))
      .returning("id"),
);

/** Ends the open invitations of people that a person answers for. They stay in the list; a person who renews one answers for it. */
export const expireIssuedInvitations = prepare<{ teamId: string; userId: string; now: number }>(
  "invites.expireIssued",
).many(({ db, p }) =>
  db
    .updateTable("invites")
    .set((eb) => ({ expiresAt: p("now"), updatedAt: p("now"), revision: eb("revision", "+", 1) }))
    .where("teamId", "=", p("teamId"))
    .where("kind", "=", "email")
    .where("revokedAt", "is", null)
    .where("uses", "=", 0)
    .where("expiresAt", ">", p("now"))
    .where("issuedTo", "in", issuersOf({ db, p }))
    .returning("id"),
);

/** The teams for whose invites that may still work a person answers, with the role there. */
export const listTeamsOfIssuer = prepare<{ userId: string; now: number }>("invites.listTeamsOfIssuer").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("invites as invite")
      .leftJoin("memberships as m", (join) =>
        join
          .onRef("m.teamId", "=", "invite.teamId")
          .on("m.userId", "=", p("userId"))
          .on("m.state", "=", sql.lit("member")),
      )
      .select(["invite.teamId", "m.role"])
      .distinct()
      .where("invite.issuedTo", "in", issuersOf({ db, p }))
      .where("invite.revokedAt", "is", null)
      .where("invite.expiresAt", ">", p("now"))
      .where((eb) => eb.or([eb("invite.maxUses", "is", null), eb("invite.uses", "<", eb.ref("invite.maxUses"))]))
      .where(({ ref }) => isNotRemoved(ref("invite.teamId"))),
);

export const replaceCode = prepare<{
  teamId: string;
  id: string;
  codeHash: string;
  suffix: string;
  /** Null: to the same as before. */
  issuedTo: string | null;
  isMailed: number;
  expiresAt: number;
  now: number;
}>("invites.replaceCode").write(({ db, p, params }) =>
  db
    .updateTable("invites")
    .set((eb) => ({
      ...params("codeHash", "isMailed", "expiresAt"),
      codeSuffix: p("suffix"),
      issuedTo: sql<string>`coalesce(cast(${p("issuedTo")} as text), issued_to)`,
      updatedAt: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("teamId", "=", p("teamId"))
    .where("id", "=", p("id")),
);

const listOpen = prepare<{ teamId: string }>("invites.list").page(
  ({ db, p }) =>
    db
      .selectFrom("invites as invite")
      .select([...COLUMNS, "invite.position"])
      .where("invite.teamId", "=", p("teamId"))
      .where("invite.revokedAt", "is", null),
  "invite.position",
);

/** One row more than the page holds. */
export async function listInvitesByTeam(tx: Tx, teamId: string, bounds: PageBounds) {
  const rows = await listOpen(tx, { teamId }, bounds);
  return rows.map((row) => ({ ...inviteOf(row), position: row.position }));
}
