// Statements on former members of a team. Nobody reads the row of a present member; it is written again when they leave.
import type { TeamRole } from "../../../platform/kernel/roles.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { prepare } from "../../../platform/store/prepared.ts";
import type { Membership } from "../row.ts";

interface FormerKey {
  readonly teamId: string;
  readonly userId: string;
}

const find = prepare<{ teamId: string; userId: string }>("members.findFormer").one(({ db, p }) =>
  db
    .selectFrom("former_members")
    .select(["role", "isRemoved", "isMapped"])
    .where("teamId", "=", p("teamId"))
    .where("userId", "=", p("userId")),
);

export async function findFormer(tx: Tx, key: FormerKey) {
  const row = await find(tx, { ...key });
  return row && { role: row.role as TeamRole, isRemoved: row.isRemoved === 1, isMapped: row.isMapped === 1 };
}

const upsert = prepare<{
  teamId: string;
  userId: string;
  role: string;
  isRemoved: number;
  isMapped: number;
  now: number;
}>("members.upsertFormer").write(({ db, p, excluded, params }) =>
  db
    .insertInto("former_members")
    .values({ ...params("teamId", "userId", "role", "isRemoved", "isMapped"), endedAt: p("now") })
    .onConflict((conflict) =>
      conflict.columns(["teamId", "userId"]).doUpdateSet(excluded("role", "isRemoved", "isMapped", "endedAt")),
    ),
);

export async function recordFormer(
  tx: Tx,
  key: FormerKey,
  { role, joinedFrom }: Pick<Membership, "role" | "joinedFrom">,
  { isRemoved, now }: { readonly isRemoved: boolean; readonly now: number },
): Promise<void> {
  const isMapped = joinedFrom.ssoUserId !== undefined;
  await upsert(tx, { ...key, role, isRemoved: isRemoved ? 1 : 0, isMapped: isMapped ? 1 : 0, now });
}
