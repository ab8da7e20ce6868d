// What a command prints: results on standard output, as text or as JSON; everything else on standard error. All output
// passes through here, where control characters in text from others are replaced.
import { toPrintable, toPrintableLines } from "../platform/kernel/text/printable-text.ts";
import { Failure } from "../platform/outcomes/failure.ts";
import { makeRunnable } from "./runnable.ts";
import type { Invocation } from "./runnable.ts";
import { currentProcess } from "../platform/kernel/settings/current-process.ts";
import type { Terminal } from "../platform/kernel/settings/current-process.ts";

/** Columns aligned with spaces, under a heading in capitals. */
export function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(toPrintable))];
  const widths = heading.map((_, at) => Math.max(...lines.map((line) => (line[at] as string).length)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] as number))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A time for tables; `none` is the text for an absent one. */
export function formatTime(timeMs: number | null | undefined, none: string): string {
  return timeMs === null || timeMs === undefined ? none : new Date(timeMs).toISOString().replace(/\.\d+Z$/, "Z");
}

const SIZES = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** A number of bytes with a unit. */
export function formatSize(bytes: number): string {
  const at = Math.max(0, Math.min(SIZES.length - 1, Math.floor(Math.log2(bytes) / 10)));
  return `${(bytes / 1024 ** at).toFixed(at === 0 ? 0 : 1)} ${SIZES[at]}`;
}

function print(stream: Terminal, text: string): void {
  stream.write(toPrintableLines(text));
}

/** For commander's help and usage errors. */
export const printHelp = (text: string): void => print(currentProcess().stdout, text);
export const printComplaint = (text: string): void => print(currentProcess().stderr, text);

const closedBy = new WeakMap<Terminal, AbortSignal>();

/** Aborted when nobody reads standard output any more, as after `| head`. */
function closedSignal(): AbortSignal {
  const { stdout } = currentProcess();
  const known = closedBy.get(stdout);
  if (known) return known;
  const closed = new AbortController();
  stdout.once("error", () => closed.abort());
  stdout.once("close", () => closed.abort());
  closedBy.set(stdout, closed.signal);
  return closed.signal;
}

/** Lines for programs: tabs stay. */
export const printTabbed = (text: string): void => {
  currentProcess().stdout.write(text.split("\t").map(toPrintableLines).join("\t"));
};

export interface Output {
  /** Writes lines whose cells stand between tabs. */
  line(text: string): void;
  /** Writes a value byte for byte; to a terminal, as text that cannot move its cursor. */
  raw(value: string | Uint8Array): void;
  /** Aborted when nobody reads the result any more. */
  readonly closed: AbortSignal;
  /** Writes the result: of `value` what --json and --jq choose, else `text`. */
  result(value: unknown, text: string): void;
  /** Writes a remark to standard error; never part of a result. */
  note(text: string): void;
}

/** How the JSON of a result is printed. */
export interface Select {
  /** It may be anything, such as a value alone, and goes byte for byte to programs. */
  readonly isRaw: boolean;
  /** With the end of its last line; throws a Failure where it can't be chosen from. */
  textOf(value: unknown): string;
}

/** `select` is null for people. */
export function createOutput(select: Select | null, invocation: Invocation): Output {
  const json = ({ isRaw, textOf }: Select, value: unknown): void => {
    const { stdout } = currentProcess();
    const write = (text: string) => (isRaw && !stdout.isTTY ? stdout.write(text) : print(stdout, text));
    try {
      write(textOf(value));
    } catch (error) {
      // What has been done, such as a credential that is shown once, is not lost for it.
      print(stdout, `${JSON.stringify(value)}\n`);
      throw error;
    }
  };
  return {
    result(value, text) {
      if (select === null) print(currentProcess().stdout, `${makeRunnable(text, invocation)}\n`);
      else json(select, value);
    },
    line: (text) => printTabbed(`${text}\n`),
    raw(value) {
      const { stdout } = currentProcess();
      if (!stdout.isTTY) stdout.write(value);
      else print(currentProcess().stdout, `${typeof value === "string" ? value : new TextDecoder().decode(value)}\n`);
    },
    closed: closedSignal(),
    note: (text) => print(currentProcess().stderr, `${makeRunnable(text, invocation)}\n`),
  };
}

/** Prints to standard error why a command failed. */
export function printFailure(error: unknown, isJson: boolean, invocation: Invocation): void {
  const { stack } = error as Error;
  const message = makeRunnable((error as Error).message, invocation);
  if (isJson) {
    const { code, details } = error instanceof Failure ? error : { code: "failed", details: {} };
    print(currentProcess().stderr, `${JSON.stringify({ error: { ...details, code, message } })}\n`);
  } else {
    // An unexpected error is a bug: its report needs the stack.
    print(currentProcess().stderr, `reeve: ${error instanceof Failure ? message : stack}\n`);
  }
}
