// Statements on former members of a team. Nobody reads the row of a present member; it is written again when they leave.
import type { TeamRole } from "../../../kernel/roles.ts";
import type { Tx } from "../../../kernel/tx.ts";
import { prepare } from "../../../store/prepared.ts";

interface FormerKey {
  readonly teamId: string;
  readonly userId: string;
}

const find = prepare<{ teamId: string; userId: string }>("members.findFormer").one(({ db, p }) =>
  db
    .selectFrom("former_members")
    .select(["role", "is_removed as isRemoved"])
    .where("team_id", "=", p("teamId"))
    .where("user_id", "=", p("userId")),
);

export async function findFormer(tx: Tx, key: FormerKey) {
  const row = await find(tx, { ...key });
  return row && { role: row.role as TeamRole, isRemoved: row.isRemoved === 1 };
}

const upsert = prepare<{ teamId: string; userId: string; role: string; isRemoved: number; now: number }>(
  "members.upsertFormer",
).run(({ db, p }) =>
  db
    .insertInto("former_members")
    .values({
      team_id: p("teamId"),
      user_id: p("userId"),
      role: p("role"),
      is_removed: p("isRemoved"),
      ended_at: p("now"),
    })
    .onConflict((conflict) =>
      conflict.columns(["team_id", "user_id"]).doUpdateSet((eb) => ({
        role: eb.ref("excluded.role"),
        is_removed: eb.ref("excluded.is_removed"),
        ended_at: eb.ref("excluded.ended_at"),
      })),
    ),
);

export async function noteFormer(
  tx: Tx,
  former: FormerKey & { readonly role: TeamRole; readonly isRemoved: boolean; readonly now: number },
): Promise<void> {
  await upsert(tx, { ...former, isRemoved: former.isRemoved ? 1 : 0 });
}
