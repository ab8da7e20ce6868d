// Entries as text: KEY=VALUE lines, in which KEY=@secret:NAME refers to a secret of the team.
import { isRefusal } from "../../api/call.ts";
import { formatEnvText, parseEnvText, REASONS } from "../../parts/env-text.ts";
import type { LineMark } from "../../parts/env-text.ts";
import type { Entry } from "./project-environments.ts";

const REFERENCE = "@secret:";
const KEY = /^[A-Za-z_]\w{0,255}$/;

export interface Line {
  readonly key: string;
  readonly line: number;
  /** What the line sets the entry to: text, or the name of a secret. */
  readonly set: { readonly text: string } | { readonly secret: string };
}

export interface EntryText {
  readonly lines: readonly Line[];
  /** What is wrong with its lines, from the first one on. */
  readonly problems: readonly LineMark[];
}

/** Quotes make any value text. */
export function readEntryText(source: string): EntryText {
  const { entries, problems } = parseEnvText(source, String);
  const names = entries.filter(({ name }) => !KEY.test(name)).map(({ line }) => ({ line, reason: "key" as const }));
  const wrong = [...problems, ...names].toSorted((one, other) => one.line - other.line);
  return {
    lines: entries.map(({ name: key, value, line, isQuoted }) => ({
      key,
      line,
      set: !isQuoted && value.startsWith(REFERENCE) ? { secret: value.slice(REFERENCE.length) } : { text: value },
    })),
    problems: wrong.map(({ line, reason }) => ({ line, text: REASONS[reason] })),
  };
}

export const renderLine = (key: string, set: Line["set"]): string =>
  "secret" in set ? `${key}=${REFERENCE}${set.secret}\n` : formatEnvText([{ name: key, value: set.text }]);

export const renderEntries = (entries: readonly Entry[]): string =>
  entries
    .map(({ key, secret, value = "" }) =>
      renderLine(key, secret ? { secret: secret.name ?? secret.uid ?? "" } : { text: value }),
    )
    .join("");

/** What the server refuses about one of the lines; null: about something else. */
export function refusedLine(error: Error | null, lines: readonly Line[]): LineMark | null {
  if (!isRefusal(error)) return null;
  const key = /\.set\.(\w+)/.exec(error.field)?.[1];
  const line = lines.find((one) => one.key === key)?.line;
  return line === undefined ? null : { line, text: /: (expected .*)$/.exec(error.message)?.[1] ?? error.message };
}
