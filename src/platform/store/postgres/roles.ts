// Whether a server of PostgreSQL accepts writes.
import { StoreError } from "../database.ts";
import { naming } from "../failure.ts";
import type { Database } from "../database.ts";

export type WriteRefusal = "standby" | "read_only";

/** An SQL expression: null where the server accepts writes. */
export const WRITE_REFUSAL = `case when pg_is_in_recovery() then 'standby'
  when current_setting('transaction_read_only') = 'on' then 'read_only' end`;

const MESSAGES: Readonly<Record<WriteRefusal, string>> = {
  standby: "it is a standby, which accepts no writes",
  read_only: "it accepts no writes: default_transaction_read_only is on",
};

/** `host` where the message is not about one that is named already. */
export function refuseToWrite(refusal: WriteRefusal, host?: string): StoreError {
  return new StoreError(naming(host, MESSAGES[refusal]), { reason: refusal });
}

/** Throws a StoreError when the server accepts no writes. */
export async function requireWritableServer(
  database: Pick<Database, "engine" | "admin" | "connections">,
): Promise<void> {
  const { engine, admin } = database;
  if (engine !== "postgres") return;
  const [row] = await admin.query(`select ${WRITE_REFUSAL} as refusal`);
  const refusal = (row?.["refusal"] ?? null) as WriteRefusal | null;
  if (refusal !== null) throw refuseToWrite(refusal, database.connections()?.host);
}
