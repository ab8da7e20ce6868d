// Statements on the active master key.
import type { WriteTx } from "../../store/database.ts";
import { prepare } from "../../store/prepared.ts";

/** The active key, share-locked until the transaction ends, so that nothing is sealed under a key that was just replaced. */
export const findActiveKey = prepare("masterKeys.findActive").one(({ db, forShare }) =>
  db.selectFrom("active_master_key").select(["keyId", "activatedAt"]).where("slot", "=", "active").modifyEnd(forShare),
);

export const upsertActiveKey = prepare<{ keyId: string; now: number }>("masterKeys.upsertActive").write(
  ({ db, p, excluded }) =>
    db
      .insertInto("active_master_key")
      .values({ slot: "active", keyId: p("keyId"), activatedAt: p("now") })
      .onConflict((conflict) => conflict.column("slot").doUpdateSet(excluded("keyId", "activatedAt"))),
);

/**
 * Waits for transactions that seal, and blocks later ones. PostgreSQL keeps granting share locks on a row while another
 * transaction waits to change it, but grants locks on a table in the order of requests.
 */
export async function lockActiveKey(tx: WriteTx): Promise<void> {
  await tx.lockTable("active_master_key");
}
