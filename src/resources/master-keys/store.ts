// Statements on which master key is active.
import type { WriteTx } from "../../store/database.ts";
import { prepare } from "../../store/prepared.ts";

/** Holds the choice of the key until the transaction ends, so that nothing is sealed under one that was just replaced. */
export const findActiveKey = prepare("masterKeys.findActive").one(({ db, forShare }) =>
  db
    .selectFrom("active_master_key")
    .select(["key_id", "activated_at"])
    .where("slot", "=", "active")
    .modifyEnd(forShare),
);

export const upsertActiveKey = prepare<{ keyId: string; now: number }>("masterKeys.upsertActive").run(({ db, p }) =>
  db
    .insertInto("active_master_key")
    .values({ slot: "active", key_id: p("keyId"), activated_at: p("now") })
    .onConflict((conflict) =>
      conflict.column("slot").doUpdateSet((eb) => ({
        key_id: eb.ref("excluded.key_id"),
        activated_at: eb.ref("excluded.activated_at"),
      })),
    ),
);

/**
 * Waits for those who seal, and lets those who come later wait. Of the row's own lock PostgreSQL would go on handing out
 * shares while somebody waits to change it; locks on a table are given in the order in which they were asked for.
 */
export async function lockActiveKey(tx: WriteTx): Promise<void> {
  await tx.lockTable("active_master_key");
}
