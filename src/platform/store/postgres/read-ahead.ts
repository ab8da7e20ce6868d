// Reads of a transaction that are sent before its work asks for them, together with its begin and the lock of its owner: each that the work
// would wait for is a round trip. What the work then asks for is answered by them only where statement and parameters are the same, and
// nothing could have changed the result since.
import type { QueryResult } from "pg";
import type { SqlParams, Statement } from "../../kernel/tx.ts";
import type { PlannedRead, ReadPlan } from "../database.ts";
import type { Query } from "./connection.ts";
import { PostgresTx, queryOf } from "./postgres-tx.ts";
import type { Session } from "./postgres-tx.ts";

/** The tables whose rows take rows of others with them (`on delete`), and none of `owners` among them. */
export const PARENTS: ReadonlySet<string> = new Set(
  "deleted_teams environments firewalls projects secrets teams users webhooks".split(" "),
);

const LOCKS = /\bfor (?:update|share)\b/i;
const SHARES = /\bfor share\b/i;
const CHANGED = /\b(insert into|update|delete from)\s(?:only )?"?([a-z_]+)"?/gi;

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
    changedTables: new Set(changes.map(({ table }) => table)),
    deletesParents: changes.some(({ verb, table }) => verb === "delete from" && PARENTS.has(table)),
    words: new Set(sql.match(/\w+/g)),
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
    const { isRead, locksRows, canBePlanned, words } = factsOf(statement);
    if (!isRead) return this.#note(statement);
    if (!this.#plan) return void this.#early.add(statement);
    if (canBePlanned && this.#changed.isDisjointFrom(words)) {
      this.#asked.push({ statement, params });
      const sent = this.#sent.get(keyOf(query));
      if (sent) {
        sent.isUsed = true;
        return sent.result;
      }
    }
    if (locksRows) this.endReadAhead();
    return undefined;
  }

  #note(statement: Statement): undefined {
    const { changedTables, deletesParents } = factsOf(statement);
    if (deletesParents) this.endReadAhead();
    for (const table of changedTables) this.#changed.add(table);
    if (changedTables.has("owners")) this.heads.clear();
  }

  #forgetAll(): void {
    this.endReadAhead();
    this.#sent.clear();
    this.heads.clear();
  }
}
