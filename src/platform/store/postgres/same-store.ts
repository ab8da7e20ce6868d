// Whether a changed URL leads to the store that a process works on: its caches are of that one, and a slip in a file must not move it to
// another.
import { StoreError } from "../database.ts";
import { STORE_ADVICE } from "../failure.ts";
import type { Connection } from "./connection.ts";
import { WRITE_REFUSAL, refuseToWrite } from "./roles.ts";
import type { WriteRefusal } from "./roles.ts";

const LOOK = `select to_regclass('schema_migrations') is not null as "hasSchema", ${WRITE_REFUSAL} as refusal`;
/** A standby and any other replica has it too. */
const BEGUN = "select applied_at::text as begun from schema_migrations where version = 1";

interface Place {
  readonly refusal: WriteRefusal | null;
  /** When the store's first migration was applied, which tells one from another; null: it has no schema yet. */
  readonly begun: string | null;
}

export async function readPlace(connection: Pick<Connection, "query">): Promise<Place> {
  type Look = Pick<Place, "refusal"> & { readonly hasSchema: boolean };
  const [{ hasSchema, refusal }] = (await connection.query({ text: LOOK })).rows as [Look];
  if (!hasSchema) return { refusal, begun: null };
  const [row] = (await connection.query({ text: BEGUN })).rows as { readonly begun: string }[];
  return { refusal, begun: row?.begun ?? null };
}

/** Throws unless the connection leads to a server that accepts writes, and to the store that began at `begun`; null: that is unknown. */
export async function requireSameStore(connection: Pick<Connection, "query">, begun: string | null): Promise<void> {
  const { refusal, begun: other } = await readPlace(connection);
  if (refusal !== null) throw refuseToWrite(refusal);
  if (begun === null || other === begun) return;
  const message =
    other === null
      ? `it has no tables of Reeve: ${STORE_ADVICE.no_schema}`
      : "it is another store of Reeve: to move this process there, start it again";
  throw new StoreError(message, { reason: "no_schema" });
}
