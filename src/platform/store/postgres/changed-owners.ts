// Whose rows each commit has changed, so that what was read of other owners can go on being used. Every transaction of Reeve
// records its own in its last statement; a trigger records changes of the most important tables by any other program (migration 19).
// A reader asks which records became visible since it last asked: the order of commits is not that of ids, so only a snapshot tells.
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import { OwnerVersions, encodeOwners } from "../versions.ts";
import type { ChangedOwners, StoreVersions } from "../versions.ts";
import type { BatchedSession } from "./batched-session.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./pool.ts";

/** Of the server's clock, as are all times here. */
const KEPT_S = 300;
/** Half of the time that records are kept, because a commit may take a while after its record was written. */
const MAX_GAP_S = KEPT_S / 2;
const PRUNED_ROWS = 10_000;

/** Whether the schema has the table yet: a database that is being made or upgraded has no reader of it either. */
const HAS_TABLE = { name: "has-changed-owners", text: "select to_regclass('changed_owners') is not null as has" };

const RECORD = `insert into changed_owners (xid, owner_ids)
  select pg_current_xact_id(), $1 where pg_current_xact_id_if_assigned() is not null`;

/** Records what transactions have changed. */
export interface ChangeRecorder {
  /** Call it before `record`: at first it looks for the table of records. */
  prepare(connection: Pick<Connection, "query">): Promise<void>;
  /**
   * Call it last in a transaction, with the owners whose rows it has changed; null where it may have changed anything. A transaction
   * that has changed nothing has no record; one that has changed no owner's rows has one that names none.
   */
  record(session: Pick<BatchedSession, "defer">, ownerIds: ReadonlySet<string> | null): Promise<void>;
}

export function createChangeRecorder(): ChangeRecorder {
  let hasTable = false;
  return {
    async prepare(connection) {
      hasTable ||= (await connection.query(HAS_TABLE)).rows[0].has as boolean;
    },
    async record(session, ownerIds) {
      if (hasTable) await session.defer({ name: "record-change", text: RECORD, values: [encodeOwners(ownerIds)] });
    },
  };
}

const PRUNE = `with old as (select xid from changed_owners where recorded_at < now() - make_interval(secs => ${KEPT_S})
    order by xid limit ${PRUNED_ROWS} for update skip locked)
  delete from changed_owners where xid in (select xid from old)`;

/** Deletes the records that no reader needs, in steps. */
export async function pruneRecords(use: ConnectionPool["use"]): Promise<void> {
  const prune = () => use(async (connection) => (await connection.query({ text: PRUNE })).rowCount ?? 0);
  while ((await prune()) === PRUNED_ROWS);
}

/** Returns what to call after each commit: once a minute it prunes, beside other work. */
export function schedulePruning(use: ConnectionPool["use"]): () => void {
  let prunedAt = performance.now();
  return () => {
    const now = performance.now();
    if (now - prunedAt < MINUTE_MS) return;
    prunedAt = now;
    // After a failure there is another one in a minute.
    pruneRecords(use).catch(() => undefined);
  };
}

// The last parameter excludes nothing: between two bounds, the planner expects so few rows that it uses the index.
const CHECK = `select pg_current_snapshot()::text as snapshot, pg_backend_pid() as pid, date_part('epoch', now()) as time,
  (select string_agg(coalesce(owner_ids, 'null'), ',') from (
    select owner_ids from changed_owners where xid between $1::xid8 and $3::xid8
    union all select owner_ids from changed_owners where xid = any ($2::xid8[])) as visible) as changes`;

/** The state of the store at a check. */
interface Checked {
  /** As text: the lowest id that is running, the next id, and all ids that are running. */
  readonly snapshot: string;
  readonly pid: number;
  readonly time: number;
  /** Elements of a JSON array: the commits since the snapshot before. */
  readonly changes: string | null;
}

/** Of the check before: its connection, and what it returned. */
type Last = Checked & { readonly connection: unknown };

const HIGHEST = "18446744073709551615";
/** Selects no record, for the first check. */
const NONE = [HIGHEST, "{}", HIGHEST];

/** Selects the records that are not visible in the snapshot of the last check. */
function selectAfter({ snapshot }: Last): string[] {
  const [, next, running] = snapshot.split(":");
  return [next as string, `{${running}}`, HIGHEST];
}

/** Whether the records since the last check are all there. Commits may be lost where a connection was replaced, and its server. */
function isContinued(last: Last, { pid, time }: Checked, connection: unknown): boolean {
  const gap = time - last.time;
  return last.connection === connection && last.pid === pid && gap >= 0 && gap < MAX_GAP_S;
}

type Waiting = ReturnType<typeof Promise.withResolvers<void>>;

/** Runs one statement on the connection of checks, which is another object after it was replaced. */
export type RunCheck = <T>(work: (connection: Pick<Connection, "query">) => Promise<T>) => Promise<T>;

/**
 * The versions of the database as this process sees them. One check serves all requests that arrived before it was sent: a request
 * waits for a check that begins after it, so it sees every commit that was acknowledged before it.
 */
export function watchVersions(run: RunCheck): StoreVersions {
  const versions = new OwnerVersions();
  let last: Last | undefined;
  let waiting: Waiting | undefined;
  let isRunning = false;

  async function check(): Promise<void> {
    await run(async (connection) => {
      const values = last ? selectAfter(last) : NONE;
      const { rows } = await connection.query({ name: "changed-owners", text: CHECK, values });
      const checked = rows[0] as Checked;
      if (!last || !isContinued(last, checked, connection)) versions.advance(null);
      else if (checked.changes !== null) versions.advance(JSON.parse(`[${checked.changes}]`) as ChangedOwners[]);
      last = { ...checked, connection };
    });
  }

  function start(): void {
    const served = waiting;
    if (!served) return;
    waiting = undefined;
    isRunning = true;
    check()
      .then(served.resolve, served.reject)
      .finally(() => {
        isRunning = false;
        // The other requests of this turn of the event loop share the next check.
        if (waiting) setImmediate(start);
      });
  }

  return {
    refresh() {
      if (!waiting) {
        waiting = Promise.withResolvers();
        if (!isRunning) setImmediate(start);
      }
      return waiting.promise;
    },
    present: () => versions.present,
    isCurrent: (readAt, ownerId) => versions.isCurrent(readAt, ownerId),
  };
}
