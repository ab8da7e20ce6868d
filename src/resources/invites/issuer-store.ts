// Invites with the person who answers for them, and what decides whether that person may still invite.
import { sql } from "kysely";
import type { TeamRole } from "../../kernel/roles.ts";
import type { Build } from "../../store/prepared.ts";
import { COLUMNS, inviteOf } from "./row.ts";
import type { InviteRow, IssuedInvite } from "./row.ts";

/** Invitations that are older than the column name only their creator. */
const ISSUER_ID = sql<string>`coalesce(nullif(invite.issued_to, ''), invite.created_by)`;

/** The issuer is null where the account is suspended or deleted. */
export function selectIssued<P>({ db, isNotRemoved }: Pick<Build<P>, "db" | "isNotRemoved">) {
  return db
    .selectFrom("invites as invite")
    .leftJoin("users as issuer", (join) =>
      join
        .on((eb) => eb("issuer.id", "=", ISSUER_ID))
        .on("issuer.suspended_at", "is", null)
        .on(({ ref }) => isNotRemoved(ref("issuer.id"))),
    )
    .leftJoin("memberships as m", (join) =>
      join.onRef("m.team_id", "=", "invite.team_id").on((eb) => eb("m.user_id", "=", ISSUER_ID)),
    )
    .select([
      ...COLUMNS,
      ISSUER_ID.as("issuedTo"),
      "issuer.id as issuerId",
      "issuer.is_admin as issuerIsAdmin",
      "m.state as issuerState",
      "m.role as issuerRole",
    ]);
}

interface IssuedRow extends InviteRow {
  readonly issuedTo: string;
  readonly issuerId: string | null;
  readonly issuerIsAdmin: number | null;
  readonly issuerState: string | null;
  readonly issuerRole: string | null;
}

export function issuedOf(row: IssuedRow): IssuedInvite {
  const { issuedTo, issuerId, issuerIsAdmin, issuerState, issuerRole, ...invite } = row;
  const role = issuerId !== null && issuerState === "member" ? (issuerRole as TeamRole) : null;
  return { invite: inviteOf(invite), issuer: { id: issuedTo, isAdmin: issuerIsAdmin === 1, role } };
}
