// The inside of the embedded store's writer thread: it owns the one writing connection, runs each job in a savepoint of the current
// group unless it is alone, commits the group once (one fsync) and then posts the replies.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { createChangeRecorder } from "./changed-owners.ts";
import type { ChangeRecorder } from "./changed-owners.ts";
import { connectSqlite, isSqliteBusy } from "./sqlite.ts";
import type { SqliteTx } from "./sqlite.ts";
import { watchFileIdentity } from "./file.ts";
import { StoreError, withRetry } from "../database.ts";
import type { WriteTx } from "../database.ts";
import { encodeFailure } from "../encoded-failure.ts";

/** One unit of work, as posted: plain data. */
export interface Job {
  readonly id: number;
  readonly input: unknown;
  /** The caller asks for the time that it ran. */
  readonly isTimed: boolean;
}

/** The outcome of a job. A failure is plain data too: `encodeFailure` makes it. */
export type JobReply = { readonly id: number; readonly runMs?: number } & (
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly failure: unknown }
);

/** The replies of a group, and the times that it took. */
export interface GroupReply {
  readonly replies: readonly JobReply[];
  /** Until the begin of the transaction: another process may hold the write lock. */
  readonly beginMs: number;
  readonly runMs: number;
  readonly commitMs: number;
  readonly retries: number;
}

export type JobHandler = (tx: WriteTx, input: unknown) => Promise<unknown>;

// Larger groups hardly save more fsyncs, and delay the first reply.
const MAX_GROUP = 256;

/** The database file and the handler of its jobs. */
export interface WriterParts {
  readonly file: string;
  readonly handle: JobHandler;
}

/**
 * Serves the jobs that arrive on the parent port, until the message "stop". The first message is the setup; by then the file has
 * its schema.
 */
export function serveWriter(open: (setup: never) => WriterParts): void {
  const port = parentPort;
  if (!port) throw new Error("serveWriter runs in a worker thread");
  port.once("message", (setup) => serveJobs(port, open(setup as never)));
}

function serveJobs(port: MessagePort, { file, handle }: WriterParts): void {
  const connection = connectSqlite(file, "write");
  const { db } = connection;
  const writing = { ...connection, ...prepareTransactions(db), changes: createChangeRecorder(db) };
  const isSameFile = watchFileIdentity(file);
  const queue: Job[] = [];
  let isRunning = false;
  let isStopping = false;

  function drainPort(): void {
    for (let message = receiveMessageOnPort(port); message; message = receiveMessageOnPort(port)) {
      accept(message.message as Job[] | "stop");
    }
  }

  function accept(message: Job[] | "stop"): void {
    if (message === "stop") isStopping = true;
    else queue.push(...message);
  }

  /** Commits to a file that was moved away would be lost, so this process must be restarted. */
  function giveUp(): never {
    const error = new StoreError(`the database ${file} was moved, removed or replaced under the running server`, {
      reason: "writer_lost",
    });
    const failure = encodeFailure(error);
    const replies = queue.map(({ id }): JobReply => ({ id, ok: false, failure }));
    port.postMessage({ replies, beginMs: 0, runMs: 0, commitMs: 0, retries: 0 } satisfies GroupReply);
    throw error;
  }

  async function runQueue(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (queue.length > 0) {
      if (!isSameFile()) giveUp();
      const group = queue.splice(0, MAX_GROUP);
      port.postMessage(await runGroup(writing, group, handle));
      // Jobs that arrived during this commit form the next group.
      drainPort();
    }
    isRunning = false;
    if (isStopping) {
      db.close();
      port.close();
    }
  }

  port.on("message", (message: Job[] | "stop") => {
    accept(message);
    void runQueue();
  });
}

/** The statements around each group and each job, prepared once. */
function prepareTransactions(db: DatabaseSync) {
  return {
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    savepoint: db.prepare("SAVEPOINT job"),
    release: db.prepare("RELEASE job"),
  } satisfies Record<string, StatementSync>;
}

/** What writes to the database. */
interface Writing extends ReturnType<typeof prepareTransactions> {
  readonly db: DatabaseSync;
  readonly tx: SqliteTx;
  readonly changes: ChangeRecorder;
}

async function runGroup(writing: Writing, group: readonly Job[], handle: JobHandler): Promise<GroupReply> {
  const { db, begin, commit, changes } = writing;
  let retries = 0;
  const startedAt = performance.now();
  let begunAt = startedAt;
  let doneAt = startedAt;
  const timing = () => ({
    beginMs: begunAt - startedAt,
    runMs: doneAt - begunAt,
    commitMs: performance.now() - doneAt,
    retries,
  });
  try {
    // Another process may hold the write lock (the command line, an upgrade): the busy time-out waits for that.
    await withRetry(
      async () => begin.run(),
      isSqliteBusy,
      () => retries++,
    );
    begunAt = performance.now();
    const { replies, changed } = await runJobs(writing, group, handle);
    // Without a successful job nothing has changed.
    if (changed?.size !== 0) changes.record(changed);
    doneAt = performance.now();
    if (db.isTransaction) commit.run();
    return { replies, ...timing() };
  } catch (error) {
    // The commit failed (disk full, I/O): nothing of this group was stored, and every job fails.
    if (db.isTransaction) db.exec("ROLLBACK");
    const failure = encodeFailure(error);
    return { replies: group.map(({ id }) => ({ id, ok: false, failure })), ...timing() };
  }
}

/** Runs the jobs of a group one after the other. `changed` are the owners whose rows they have changed; null: anything. */
async function runJobs(writing: Writing, group: readonly Job[], handle: JobHandler) {
  const replies: JobReply[] = [];
  const changed = new Set<string>();
  let isAnything = false;
  for (const job of group) {
    // A job that is alone in its group needs no savepoint: its failure undoes the transaction.
    const reply = await runJob(writing, job, group.length === 1, handle);
    replies.push(reply);
    const ownerId = writing.tx.takePromise();
    if (!reply.ok) continue;
    if (ownerId === null) isAnything = true;
    else changed.add(ownerId);
  }
  return { replies, changed: isAnything ? null : changed };
}

async function runJob(
  { db, tx, savepoint, release }: Writing,
  { id, input, isTimed }: Job,
  isAlone: boolean,
  handle: JobHandler,
): Promise<JobReply> {
  const startedAt = isTimed ? performance.now() : 0;
  const time = () => (isTimed ? { runMs: performance.now() - startedAt } : {});
  if (!isAlone) savepoint.run();
  try {
    const output = await handle(tx, input);
    if (!isAlone) release.run();
    return { id, ok: true, output, ...time() };
  } catch (error) {
    // A full disk may have rolled back the whole transaction: no savepoint is left then, and the group fails.
    if (!db.isTransaction) throw error;
    db.exec(isAlone ? "ROLLBACK" : "ROLLBACK TO job; RELEASE job");
    return { id, ok: false, failure: encodeFailure(error), ...time() };
  }
}
