// Invites with the person who answers for them, and what decides whether that person may still invite.
import { sql } from "kysely";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Build } from "../../platform/store/build.ts";
import { COLUMNS, inviteOf } from "./row.ts";
import type { InviteRow, IssuedInvite } from "./row.ts";

/** Invitations that are older than the column name only their creator. */
const ISSUER_ID = sql<string>`coalesce(nullif(invite.issued_to, ''), invite.created_by)`;

/** The issuer, an account or a key for which nobody is responsible, is null where it is suspended or deleted. */
export function selectIssued<P>({ db, isNotRemoved }: Pick<Build<P>, "db" | "isNotRemoved">) {
  return db
    .selectFrom("invites as invite")
    .leftJoin("users as issuer", (join) =>
      join
        .on((eb) => eb("issuer.id", "=", ISSUER_ID))
        .on("issuer.suspendedAt", "is", null)
        .on(({ ref }) => isNotRemoved(ref("issuer.id"))),
    )
    .leftJoin("api_keys as key", (join) =>
      join
        .on((eb) => eb("key.id", "=", ISSUER_ID))
        .onRef("key.teamId", "=", "invite.teamId")
        .on("key.suspendedAt", "is", null),
    )
    .leftJoin("memberships as m", (join) =>
      join.onRef("m.teamId", "=", "invite.teamId").on((eb) => eb("m.userId", "=", ISSUER_ID)),
    )
    .select([
      ...COLUMNS,
      "issuer.id as issuerId",
      "issuer.isAdmin as issuerIsAdmin",
      "key.role as keyRole",
      "m.state as issuerState",
      "m.role as issuerRole",
    ]);
}

/**
 * Whose invites end with a person: their own, and those of keys that they are responsible for now. A key is an issuer where nobody was
 * responsible for it.
 */
export function issuersOf<P extends { userId: string }>({ db, p }: Pick<Build<P>, "db" | "p">) {
  return db
    .selectFrom("api_keys")
    .select("id")
    .where("responsibleId", "=", p("userId"))
    .unionAll(db.selectNoFrom(sql<string>`cast(${p("userId")} as text)`.as("id")));
}

interface IssuedRow extends InviteRow {
  readonly issuerId: string | null;
  readonly issuerIsAdmin: number | null;
  readonly issuerState: string | null;
  readonly issuerRole: string | null;
  readonly keyRole: string | null;
}

export function issuedOf(row: IssuedRow): IssuedInvite {
  const { issuerId, issuerIsAdmin, issuerState, issuerRole, keyRole, ...invite } = row;
  const role = issuerId !== null && issuerState === "member" ? issuerRole : keyRole;
  return { invite: inviteOf(invite), issuer: { isAdmin: issuerIsAdmin === 1, role: role as TeamRole | null } };
}
