// Prints lists: page by page where a program reads them, as a table for people.
import { ReeveError } from "../../client/error.ts";
import { OPERATIONS } from "../../client/operations.ts";
import type { CommandRun } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { withCount } from "../progress.ts";
import type { AnyCalls, CallInput, Values } from "./call-input.ts";
import type { membersOf } from "./fields.ts";
import { chooseFields, linesOf, pick, tableOf } from "./print.ts";
import type { Output } from "../output.ts";
import type { Item } from "./print.ts";
import type { OperationRow } from "./row.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

const DEFAULT_LIMIT = 100;
const MAX_PAGE = 100;

export interface Listing {
  readonly calls: Pick<AnyCalls, "call" | "pages">;
  readonly input: CallInput;
  /** The member of a page with the items; empty: the page is the list. */
  readonly member: string;
  readonly members: ReturnType<typeof membersOf>;
}

type Options = Values & { readonly json?: string };

function readLimit({ limit, all }: Values): number {
  if (all === true) return Infinity;
  const count = Number(limit ?? DEFAULT_LIMIT);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new Failure("usage", `--limit: expected a whole number from 1 on, got "${String(limit)}"`);
}

/** Also says what is to be known of the first page. */
async function* readPages(row: OperationRow, { calls, input, member }: Listing, limit: number, output: Output) {
  const itemsOf = (page: unknown): readonly Item[] => {
    const items = member === "" ? page : (page as Values | null)?.[member];
    if (Array.isArray(items)) return items as readonly Item[];
    throw new ReeveError("The response has no list", { status: 200, code: "not_json" });
  };
  if (!("items" in OPERATIONS[row.operation])) {
    yield itemsOf(await calls.call(row.operation, input));
    return;
  }
  const paged = { ...input, query: { ...input.query, limit: Math.min(limit, MAX_PAGE) } };
  let notesOf = row.pageNote;
  for await (const page of calls.pages(row.operation, paged, { signal: output.closed })) {
    yield itemsOf(page);
    const note = notesOf?.(page as Values) ?? null;
    notesOf = undefined;
    if (note !== null) output.note(note);
  }
}

/** Prints the items. What is piped is printed as it comes, and ends when nobody reads it any more. */
export async function printList(row: OperationRow, run: CommandRun<Options>, listing: Listing): Promise<void> {
  const { output, options } = run;
  const { members } = listing;
  const { columns = [], inTable = (item) => item } = row;
  const isPaged = "items" in OPERATIONS[row.operation];
  const limit = isPaged ? readLimit(options) : Infinity;
  const fields = options.json === undefined ? null : chooseFields(options.json, members);
  const { inDryRun } = row;
  if (inDryRun !== undefined && options["dryRun"] === true && fields === null) {
    for await (const items of readPages(row, listing, limit, output)) output.line(items.map(inDryRun).join("\n"));
    return;
  }
  const isTerminal = currentProcess().stdout.isTTY;
  const kept: Item[] = [];
  const notes: string[] = [];
  let count = 0;
  let hasMore = false;
  await withCount("Reading", async (show) => {
    for await (const items of readPages(row, listing, limit, output)) {
      if (output.closed.aborted) return;
      hasMore = count + items.length > limit;
      const some = items.slice(0, limit - count);
      count += some.length;
      notes.push(...some.flatMap((item) => row.note?.(item) ?? []));
      if (fields !== null || isTerminal) kept.push(...some);
      else if (some.length > 0) output.line(linesOf(some.map(inTable), columns, members));
      show(count);
      if (hasMore) return;
      if (count === limit) {
        hasMore = true;
        return;
      }
    }
  });
  if (fields !== null)
    output.result(
      kept.map((item) => pick(item, fields)),
      "",
    );
  else if (isTerminal && kept.length === 0) output.line("There are none.");
  // A terminal that does not know how wide it is says 0.
  else if (isTerminal) output.line(tableOf(kept.map(inTable), columns, members, currentProcess().stdout.columns || 80));
  for (const note of notes) output.note(note);
  if (hasMore && fields === null)
    output.note(`Printed the first ${count}; --limit or --all prints more, if there are any.`);
}
