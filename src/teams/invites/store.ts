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

const insert = prepare<{
  id: string;
  teamId: string;
  kind: "email" | "code";
  email: string | null;
  emailKey: string | null;
  userId: string | null;
  role: string;
  projects: string;
  codeHash: string;
  suffix: string;
  maxUses: number | null;
  expiresAt: number;
  createdBy: string;
  issuedTo: string;
  now: number;
  position: number;
}>("invites.insert").write(({ db, p, nextPosition, greatest }) =>
  db.insertInto("invites").values({
    id: p("id"),
    team_id: p("teamId"),
    kind: p("kind"),
    email: p("email"),
    email_key: p("emailKey"),
    user_id: p("userId"),
    role: p("role"),
    projects: p("projects"),
    team_permissions: "[]",
    code_hash: p("codeHash"),
    code_suffix: p("suffix"),
    max_uses: p("maxUses"),
    uses: 0,
    expires_at: p("expiresAt"),
    revoked_at: null,
    created_by: p("createdBy"),
    issued_to: p("issuedTo"),
    is_mailed: 0,
    created_at: p("now"),
    updated_at: p("now"),
    position: nextPosition("invites", { column: "team_id", param: "teamId" }),
    // Invited people and members share one list.
    member_position: sql<number | null>`case when cast(${p("kind")} as text) = 'email' then ${greatest(
      nextPosition("invites", { column: "team_id", param: "teamId" }, "member_position"),
      nextPosition("memberships", { column: "team_id", param: "teamId" }),
    )} end`,
    revision: 1,
  }),
);

export async function insertInvite(
  tx: Tx,
  invite: Invite,
  { codeHash, issuedTo, position }: { readonly codeHash: string; readonly issuedTo: string; readonly position: number },
): Promise<void> {
  const { id, teamId, kind, email, userId, role, projects, suffix, maxUses, expiresAt, createdBy, createdAt } = invite;
  await insert(tx, {
    id,
    teamId,
    kind,
    email,
    emailKey: email === null ? null : emailKey(email),
    userId,
    role,
    projects: JSON.stringify(projects),
    codeHash,
    suffix,
    maxUses,
    expiresAt,
    createdBy,
    issuedTo,
    now: createdAt,
    position,
  });
}

const findById = prepare<{ teamId: string; id: string }>("invites.findById").one(({ db, p }) =>
  db
    .selectFrom("invites as invite")
    .select(COLUMNS)
    .where("invite.team_id", "=", p("teamId"))
    .where("id", "=", p("id")),
);

const findByHash = prepare<{ teamId: string; codeHash: string }>("invites.findByHash").one(({ db, p }) =>
  db
    .selectFrom("invites as invite")
    .select(COLUMNS)
    .where("invite.team_id", "=", p("teamId"))
    .where("code_hash", "=", p("codeHash")),
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
    .innerJoin("teams as team", "team.id", "invite.team_id")
    .select(["team.slug as teamSlug", "team.name as teamName"])
    .where("invite.code_hash", "=", build.p("codeHash"))
    .where(({ ref }) => build.isNotRemoved(ref("invite.team_id"))),
);

const INVITING = TEAM_ROLES.filter((role) => ROLE_PERMISSIONS[role].includes("invite:manage"));

/** The code of a team's join link. */
export const findJoinLink = prepare<{ teamId: string }>("invites.findJoinLink").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("teams")
    .select("invite_code as inviteCode")
    .where("id", "=", p("teamId"))
    .where(({ ref }) => isNotRemoved(ref("teams.id"))),
);

export const replaceJoinLink = prepare<{ teamId: string; inviteCode: string; now: number }>(
  "invites.replaceJoinLink",
).write(({ db, p }) =>
  db
    .updateTable("teams")
    .set((eb) => ({ invite_code: p("inviteCode"), updated_at: p("now"), revision: eb("revision", "+", 1) }))
    .where("id", "=", p("teamId")),
);

/** Not while an account that was deleted has yet to leave the team: it may have seen the link, which is renewed then. */
const findTeamOfLink = prepare<{ code: string }>("invites.findTeamOfLink").one(({ db, p, isNotRemoved }) =>
  db
    .selectFrom("teams")
    .select(["id", "slug", "name", "settings"])
    .where("invite_code", "=", p("code"))
    .where(({ ref }) => isNotRemoved(ref("teams.id")))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("removals as leaving")
            .innerJoin("memberships as m", "m.user_id", "leaving.owner_id")
            .select("m.user_id")
            .whereRef("m.team_id", "=", "teams.id")
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
    .set((eb) => ({ uses: eb("uses", "+", 1), updated_at: p("now"), revision: eb("revision", "+", 1) }))
    .where("team_id", "=", p("teamId"))
    .where("id", "=", p("id")),
);

export const revokeInvite = prepare<{ teamId: string; id: string; now: number }>("invites.revoke").write(({ db, p }) =>
  db
    .updateTable("invites")
    .set((eb) => ({ revoked_at: p("now"), updated_at: p("now"), revision: eb("revision", "+", 1) }))
    .where("team_id", "=", p("teamId"))
    .where("id", "=", p("id"))
    .where("revoked_at", "is", null),
);

/** Revokes the working codes that a person answers for. */
export const revokeIssuedCodes = prepare<{ teamId: string; userId: string; now: number }>("invites.revokeIssued").many(
  ({ db, p }) =>
    db
      .updateTable("invites")
      .set((eb) => ({ revoked_at: p("now"), updated_at: p("now"), revision: eb("revision", "+", 1) }))
      .where("team_id", "=", p("teamId"))
      .where("kind", "=", "code")
      .where("revoked_at", "is", null)
      .where("expires_at", ">", p("now"))
      .where((eb) => eb.or([eb("max_uses", "is", null), eb("uses", "<", eb.ref("max_uses"))]))
      .where("issued_to", "in", issuersOf({ db, p }))
      .returning("id"),
);

/** Ends the open invitations of people that a person answers for. They stay in the list; a person who renews one answers for it. */
export const expireIssuedInvitations = prepare<{ teamId: string; userId: string; now: number }>(
  "invites.expireIssued",
).many(({ db, p }) =>
  db
    .updateTable("invites")
    .set((eb) => ({ expires_at: p("now"), updated_at: p("now"), revision: eb("revision", "+", 1) }))
    .where("team_id", "=", p("teamId"))
    .where("kind", "=", "email")
    .where("revoked_at", "is", null)
    .where("uses", "=", 0)
    .where("expires_at", ">", p("now"))
    .where("issued_to", "in", issuersOf({ db, p }))
    .returning("id"),
);

/** The teams for whose invites that may still work a person answers, with the role there. */
export const listTeamsOfIssuer = prepare<{ userId: string; now: number }>("invites.listTeamsOfIssuer").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("invites as invite")
      .leftJoin("memberships as m", (join) =>
        join
          .onRef("m.team_id", "=", "invite.team_id")
          .on("m.user_id", "=", p("userId"))
          .on("m.state", "=", sql.lit("member")),
      )
      .select(["invite.team_id as teamId", "m.role as role"])
      .distinct()
      .where("invite.issued_to", "in", issuersOf({ db, p }))
      .where("invite.revoked_at", "is", null)
      .where("invite.expires_at", ">", p("now"))
      .where((eb) => eb.or([eb("invite.max_uses", "is", null), eb("invite.uses", "<", eb.ref("invite.max_uses"))]))
      .where(({ ref }) => isNotRemoved(ref("invite.team_id"))),
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
}>("invites.replaceCode").write(({ db, p }) =>
  db
    .updateTable("invites")
    .set((eb) => ({
      code_hash: p("codeHash"),
      code_suffix: p("suffix"),
      issued_to: sql<string>`coalesce(cast(${p("issuedTo")} as text), issued_to)`,
      is_mailed: p("isMailed"),
      expires_at: p("expiresAt"),
      updated_at: p("now"),
      revision: eb("revision", "+", 1),
    }))
    .where("team_id", "=", p("teamId"))
    .where("id", "=", p("id")),
);

const listOpen = prepare<{ teamId: string }>("invites.list").page(
  ({ db, p }) =>
    db
      .selectFrom("invites as invite")
      .select([...COLUMNS, "invite.position as position"])
      .where("invite.team_id", "=", p("teamId"))
      .where("invite.revoked_at", "is", null),
  "invite.position",
);

/** One row more than the page holds. */
export async function listInvitesByTeam(tx: Tx, teamId: string, bounds: PageBounds) {
  const rows = await listOpen(tx, { teamId }, bounds);
  return rows.map((row) => ({ ...inviteOf(row), position: row.position }));
}
