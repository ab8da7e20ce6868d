// What one line of the command table says: which operation a command calls, and how it looks on a command line. Arguments, flags and
// help come from the operation's contract.
import type { OperationId } from "../../client/types.ts";
import type { AnyCommand } from "../command.ts";

/** A member that is given by position, where its own name would not do. */
export interface Positional {
  readonly member: string;
  readonly place: "path" | "body";
  readonly as: string;
}

type Values = Readonly<Record<string, unknown>>;

export interface OperationRow {
  readonly operation: OperationId;
  /** The first sentence of the contract by default. */
  readonly summary?: string;
  /** Members by position; those of the path but for the team by default. */
  readonly args?: readonly (string | Positional)[];
  /** What an argument is when it is left out. */
  readonly byDefault?: Readonly<Record<string, string>>;
  /** Of a list: what a table shows. */
  readonly columns?: readonly string[];
  /** Of a list: an item as a table shows it. */
  readonly inTable?: (item: Values) => Values;
  /** Of a list: an item as a dry run shows it to people. */
  readonly inDryRun?: (item: Values) => string;
  /** Of a list without pages: the member of the response with the items. */
  readonly list?: string;
  /** The member of the response that is the object. */
  readonly shown?: string;
  /** The member of the object that says nothing and is left out. */
  readonly without?: string;
  /** The member with a credential that is shown this once: it alone is printed. */
  readonly once?: string;
  /** The member that is printed as it is: a secret's value. */
  readonly raw?: string;
  /** What is printed when it is done, with `{member}` of the arguments. */
  readonly done?: string;
  /** What is to be known of the result, or of each item of a list, on the standard error; null: nothing. */
  readonly note?: (object: Values) => string | null;
  /** The same of the response with the first page of a list. */
  readonly pageNote?: (page: Values) => string | null;
  /** What is asked before something is destroyed. */
  readonly confirm?: string;
  /** Reads what would be destroyed, for --dry-run. */
  readonly preview?: OperationId;
  /** Sent always. */
  readonly fixed?: { readonly params?: Values; readonly query?: Values; readonly body?: Values };
  /** Flags that stand for members of the query: `--failed`. */
  readonly presets?: Readonly<Record<string, { readonly query: Values; readonly help: string }>>;
  readonly examples: readonly string[];
  /** With --local it works on the database of this machine, for the user whom --user names. */
  readonly alsoLocal?: true;
  /** The command of this name that works on the database, and prints something else than this one. */
  readonly local?: () => Promise<AnyCommand>;
}

/** A command that is written by hand. */
export interface WrittenRow {
  readonly load: () => Promise<AnyCommand>;
  /** What it calls; none: it works on the database or on files. */
  readonly operations: readonly OperationId[];
}

export type Row = OperationRow | WrittenRow;

export interface Resource {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** By verb, or by group and verb: `rules add`. */
  readonly commands: Readonly<Record<string, Row>>;
}
