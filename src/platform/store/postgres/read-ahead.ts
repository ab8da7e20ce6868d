// Reads of a transaction that are sent before its work asks for them, together with its begin and the lock of its owner: each that the work
// would wait for is a round trip. What the work then asks for is answered by them only where statement and parameters are the same, and
// nothing could have changed the result since.
import type { QueryResult } from "pg";
import type { SqlParams, Statement } from "../../kernel/tx.ts";
import type { AskedRead, PlannedRead, ReadPlan } from "../database.ts";
import type { Query } from "./connection.ts";
import { PostgresTx, queryOf } from "./postgres-tx.ts";
import type { Session } from "./postgres-tx.ts";

/** In place of a table: all of them. */
const ANY = "";

/** The tables whose rows take rows of others with them (`on delete`), and none of `owners` among them. */
export const PARENTS: ReadonlySet<string> = new Set(
  "deleted_teams environments firewalls projects secrets teams users webhooks".split(" "),
);

/** The tables that triggers change with those of a statement. */
export const FOLLOWERS: Readonly<Record<string, string>> = {
  environment_versions: "version_totals",
  firewall_versions: "version_totals",
  secret_versions: "version_totals",
  secrets: "search_entries",
};

/** Tables after which columns of others are called. */
const ALSO_COLUMNS: ReadonlySet<string> = new Set("events mails projects webhooks".split(" "));

const LOCKS = /\bfor (?:update|share)\b/i;
const SHARES = /\bfor share\b/i;
const CHANGED = /\b(insert into|update|delete from)\s(?:only )?"?([a-z_]+)"?/gi;
const NAMED = /\b(?:from|join|into|update)\s+"?([a-z_]+)"?/gi;

/** What the text of a statement tells. */
interface StatementFacts {
  readonly isRead: boolean;
  readonly locksRows: boolean;
  /** Those for update are never planned: they would be taken in another order. A row that is shared can't change either. */
  readonly canBePlanned: boolean;
  readonly changedTables: ReadonlySet<string>;
  readonly deletesParents: boolean;
  /** The names of its tables are among them. */
  readonly words: ReadonlySet<string>;
}

/** Words of a statement, among them all tables that it reads. */
export function wordsOf(sql: string): ReadonlySet<string> {
  const named = new Set(Array.from(sql.matchAll(NAMED), ([, table = ""]) => table));
  return new Set((sql.match(/\w+/g) ?? []).filter((word) => !ALSO_COLUMNS.has(word) || named.has(word)));
}

function readFacts(statement: Statement): StatementFacts {
  const { sql, isRead } = statement.compiled("postgres");
  const changes = Array.from(sql.matchAll(CHANGED), ([, verb = "", table = ""]) => ({
    verb: verb.toLowerCase(),
    table,
  }));
  return {
    isRead,
    locksRows: LOCKS.test(sql),
    canBePlanned: !LOCKS.test(sql) || SHARES.test(sql),
    changedTables: new Set(changes.flatMap(({ table }) => [table, FOLLOWERS[table] ?? table])),
    deletesParents: changes.some(({ verb, table }) => verb === "delete from" && PARENTS.has(table)),
    words: wordsOf(sql),
  };
}

/** Each statement runs thousands of times. */
const facts = new WeakMap<Statement, StatementFacts>();

function factsOf(statement: Statement): StatementFacts {
  let known = facts.get(statement);
  if (!known) facts.set(statement, (known = readFacts(statement)));
  return known;
}

interface SentRead {
  readonly statement: Statement;
  readonly result: Promise<QueryResult>;
  /** Of a read that the work has not asked for yet. */
  read: PlannedRead | undefined;
}

const keyOf = ({ name, values }: Query) => `${name} ${JSON.stringify(values)}`;

export abstract class ReadAheadTx extends PostgresTx {
  override readonly heads: Map<string, unknown>;
  #plan: ReadPlan | undefined;
  /** Reads whose results nothing has changed since. */
  readonly #sent = new Map<string, SentRead>();
  /** What the work has read that could have been sent before. */
  readonly #asked: AskedRead[] = [];
  readonly #used = new Set<PlannedRead>();
  readonly #unused = new Set<PlannedRead>();
  /** Whether the plan may have more to send. */
  #hasChanged = false;
  /** What it has read before the plan. */
  readonly #early = new Set<Statement>();
  /** By table, the last statement that has changed it; in the order of those. */
  readonly #changes = new Map<string, Statement>();
  /** The parameters of changes: the ids of new rows are among them. */
  readonly #written: Record<string, SqlParams> = {};

  constructor(session: Session, heads = new Map<string, unknown>()) {
    super(session);
    this.heads = heads;
  }

  /** Sends the reads of a plan behind the lock of the owner. */
  protected readAhead(plan: ReadPlan): void {
    this.#plan = plan;
    this.#sendPlanned();
  }

  /** Nothing that was read before may be used from now on: the transaction may have waited for others. */
  protected endReadAhead(): void {
    if (!this.#plan) return;
    this.#plan.learn(this.#asked, { used: this.#used, unused: this.#unused }, this.#written);
    this.#plan = undefined;
    this.#sent.clear();
  }

  protected override ask(statement: Statement, params: SqlParams, query: Query): Promise<QueryResult> {
    const { isRead, locksRows, canBePlanned } = factsOf(statement);
    if (!this.#plan && isRead) this.#early.add(statement);
    if (!isRead) this.#note(statement, params);
    const isKept = isRead && canBePlanned && this.#plan !== undefined;
    const key = isKept ? keyOf(query) : "";
    if (isKept) {
      const after = this.#lastChangeFor(statement);
      // Rows are locked behind the lock of the owner, or when they are asked for.
      if (after === null || !locksRows) this.#asked.push({ statement, params, after });
      const sent = this.#sent.get(key);
      if (sent) {
        if (sent.read && this.#unused.delete(sent.read)) this.#used.add(sent.read);
        return sent.result;
      }
    }
    const result = super.ask(statement, params, query);
    if (isKept) this.#sent.set(key, { statement, result, read: undefined });
    if (isRead && locksRows) this.endReadAhead();
    if (this.#hasChanged) this.#sendPlanned();
    return result;
  }

  override async write(statement: Statement, params: SqlParams): Promise<void> {
    this.#note(statement, params);
    await super.write(statement, params);
  }

  override async exec(sql: string): Promise<void> {
    this.#forgetAll();
    await super.exec(sql);
  }

  override async query(sql: string, values?: readonly (string | number)[]): Promise<Record<string, unknown>[]> {
    this.#forgetAll();
    return await super.query(sql, values);
  }

  /** Sends those reads of the plan that can be sent by now, in the flight of what is asked for. */
  #sendPlanned(): void {
    const plan = this.#plan;
    this.#hasChanged = false;
    if (!plan) return;
    for (const read of plan.reads(this.#written, (statement) => this.#lastChangeFor(statement))) {
      const { statement, params } = read;
      const query = queryOf(statement, params);
      const key = keyOf(query);
      if (this.#early.has(statement) || this.#sent.has(key)) continue;
      const result = super.ask(statement, params, query);
      // The type of a parameter was guessed wrongly, for example: the transaction runs again without the plan.
      result.catch(() => plan.fail());
      this.#sent.set(key, { statement, result, read });
      this.#unused.add(read);
    }
  }

  /** The last statement that may have changed what this one reads. */
  #lastChangeFor(statement: Statement): Statement | null {
    const { words } = factsOf(statement);
    let last: Statement | null = null;
    for (const [table, change] of this.#changes) if (table === ANY || words.has(table)) last = change;
    return last;
  }

  #note(statement: Statement, params: SqlParams): void {
    const { changedTables, deletesParents } = factsOf(statement);
    this.#written[statement.name] = params;
    this.#hasChanged = true;
    for (const table of deletesParents ? [...changedTables, ANY] : changedTables) {
      this.#changes.delete(table);
      this.#changes.set(table, statement);
    }
    for (const [key, sent] of this.#sent) {
      if (deletesParents || !changedTables.isDisjointFrom(factsOf(sent.statement).words)) this.#sent.delete(key);
    }
    if (changedTables.has("owners")) this.heads.clear();
  }

  #forgetAll(): void {
    this.endReadAhead();
    this.heads.clear();
  }
}
