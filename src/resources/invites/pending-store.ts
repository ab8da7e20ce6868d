// Statements on invitations of e-mail addresses that nobody accepted yet.
import { sql } from "kysely";
import type { TeamRole } from "../../kernel/roles.ts";
import type { Tx } from "../../kernel/tx.ts";
import { prepare } from "../../store/prepared.ts";
import { COLUMNS, inviteOf } from "./row.ts";
import type { Invite } from "./row.ts";

/** The condition of the index `invites_pending`, which both engines recognise only when it is written out. */
const IS_PENDING = sql<boolean>`invite.kind = 'email' and invite.revoked_at is null and invite.uses = 0`;

const findPending = prepare<{ teamId: string; emailKey: string; now: number }>("invites.findPending").one(({ db, p }) =>
  db
    .selectFrom("invites as invite")
    .select(COLUMNS)
    .where("invite.team_id", "=", p("teamId"))
    .where("invite.email_key", "=", p("emailKey"))
    .where(IS_PENDING)
    .where("invite.expires_at", ">", p("now")),
);

/** The live invitation of an address; there is at most one. */
export async function findPendingByEmail(
  tx: Tx,
  params: { readonly teamId: string; readonly emailKey: string; readonly now: number },
): Promise<Invite | undefined> {
  const row = await findPending(tx, params);
  return row && inviteOf(row);
}

const listPending = prepare<{ teamId: string; search: string | null; role: string | null; limit: number }>(
  "invites.listPending",
).many(({ db, p, contains }) =>
  db
    .selectFrom("invites as invite")
    .select(COLUMNS)
    .where("invite.team_id", "=", p("teamId"))
    .where(IS_PENDING)
    .where((eb) =>
      eb.or([sql<boolean>`cast(${p("search")} as text) is null`, contains(eb.ref("invite.email_key"), "search")]),
    )
    .where(sql<boolean>`(cast(${p("role")} as text) is null or invite.role = cast(${p("role")} as text))`)
    .orderBy("invite.position", "desc")
    .limit(p("limit")),
);

/** Invitations of addresses that nobody accepted yet, expired ones included, newest first. */
export async function listPendingByTeam(
  tx: Tx,
  teamId: string,
  filter: { readonly search?: string; readonly role?: TeamRole },
  limit: number,
): Promise<Invite[]> {
  const search = filter.search === undefined ? null : filter.search.toLowerCase();
  const rows = await listPending(tx, { teamId, search, role: filter.role ?? null, limit });
  return rows.map(inviteOf);
}

/** Marks the open invitations of an address as used: its owner came in. */
export const settleInvites = prepare<{ teamId: string; emailKey: string; now: number }>("invites.settle").run(
  ({ db, p }) =>
    db
      .updateTable("invites")
      .set((eb) => ({ uses: 1, updated_at: p("now"), revision: eb("revision", "+", 1) }))
      .where("team_id", "=", p("teamId"))
      .where("email_key", "=", p("emailKey"))
      .where("kind", "=", "email")
      .where("revoked_at", "is", null)
      .where("uses", "=", 0),
);

/** Revokes the open invitations of an address, expired ones included. */
export const revokeInvites = prepare<{ teamId: string; emailKey: string; now: number }>("invites.revokeAll").run(
  ({ db, p }) =>
    db
      .updateTable("invites")
      .set((eb) => ({ revoked_at: p("now"), updated_at: p("now"), revision: eb("revision", "+", 1) }))
      .where("team_id", "=", p("teamId"))
      .where("email_key", "=", p("emailKey"))
      .where("kind", "=", "email")
      .where("revoked_at", "is", null)
      .where("uses", "=", 0),
);
