// Reads of a transaction that are sent before its work asks for them, together with its begin and the lock of its owner: each that the work
// would wait for is a round trip. What the work then asks for is answered by them only where statement and parameters are the same, and
// nothing could have changed the result since.
import type { QueryResult } from "pg";
import type { SqlParams, Statement } from "../../kernel/tx.ts";
import type { PlannedRead, ReadPlan } from "../database.ts";
import type { Query } from "./connection.ts";
import { PostgresTx, queryOf } from "./postgres-tx.ts";
import type { Session } from "./postgres-tx.ts";

/** Those for update are never planned: they would be taken in another order. A row that is shared can't change either. */
const LOCKS = /\bfor (?:update|share)\b/i;
const SHARES = /\bfor share\b/i;
const CHANGED = /\b(?:insert into|update|delete from) (?:only )?"?([a-z_]+)"?/gi;
/** The tables whose rows take rows of others with them (`on delete`), and none of `owners` among them. */
export const PARENTS: ReadonlySet<string> = new Set(
  "deleted_teams environments firewalls projects secrets teams users webhooks".split(" "),
);
const DELETED = /\bdelete from\s"?([a-z_]+)"?/gi;

const namesTable = (text: string, table: string) => new RegExp(`\\b${table}\\b`).test(text);

interface SentRead {
  readonly read: PlannedRead;
  readonly result: Promise<QueryResult>;
  isUsed: boolean;
}

const keyOf = ({ name, values }: Query) => `${name} ${JSON.stringify(values)}`;

export abstract class ReadAheadTx extends PostgresTx {
  override readonly heads: Map<string, unknown>;
  #plan: ReadPlan | undefined;
  readonly #sent = new Map<string, SentRead>();
  /** What the work has read that could have been sent before. */
  readonly #asked: PlannedRead[] = [];
  /** What it has read before the plan. */
  readonly #early = new Set<Statement>();
  readonly #changed = new Set<string>();

  constructor(session: Session, heads = new Map<string, unknown>()) {
    super(session);
    this.heads = heads;
  }

  /** Sends the reads of a plan behind the lock of the owner. */
  protected readAhead(plan: ReadPlan): void {
    this.#plan = plan;
    for (const read of plan.reads()) {
      if (this.#early.has(read.statement)) continue;
      const query = queryOf(read.statement, read.params);
      const result = super.ask(read.statement, read.params, query);
      // The type of a parameter was guessed wrongly, for example: the transaction runs again without the plan.
      result.catch(() => plan.fail());
      this.#sent.set(keyOf(query), { read, result, isUsed: false });
    }
  }

  /** Nothing that was read before may be used from now on: the transaction may have waited for others. */
  protected endReadAhead(): void {
    if (!this.#plan) return;
    const unused = [...this.#sent.values()].filter(({ isUsed }) => !isUsed).map(({ read }) => read);
    this.#plan.learn(this.#asked, unused);
    this.#plan = undefined;
  }

  protected override ask(statement: Statement, params: SqlParams, query: Query): Promise<QueryResult> {
    return this.#find(statement, params, query) ?? super.ask(statement, params, query);
  }

  override async write(statement: Statement, params: SqlParams): Promise<void> {
    this.#note(statement);
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

  #find(statement: Statement, params: SqlParams, query: Query): Promise<QueryResult> | undefined {
    const { sql, isRead } = statement.compiled("postgres");
    if (!isRead) return this.#note(statement);
    if (!this.#plan) return void this.#early.add(statement);
    const isChanged = [...this.#changed].some((table) => namesTable(sql, table));
    if (!isChanged && (!LOCKS.test(sql) || SHARES.test(sql))) {
      this.#asked.push({ statement, params });
      const sent = this.#sent.get(keyOf(query));
      if (sent) {
        sent.isUsed = true;
        return sent.result;
      }
    }
    if (LOCKS.test(sql)) this.endReadAhead();
    return undefined;
  }

  #note(statement: Statement): undefined {
    const { sql } = statement.compiled("postgres");
    for (const [, table = ""] of sql.matchAll(DELETED)) if (PARENTS.has(table)) this.endReadAhead();
    for (const [, table = ""] of sql.matchAll(CHANGED)) {
      this.#changed.add(table);
      if (table === "owners") this.heads.clear();
    }
  }

  #forgetAll(): void {
    this.endReadAhead();
    this.#sent.clear();
    this.heads.clear();
  }
}
