// Edit as .env of NAME=VALUE lines, in the form that .env files have: comments, quotes, values of several lines.

export const REASONS = {
  form: "expected NAME=VALUE, a comment, or nothing",
  quote: "the quote is not closed, or something follows it",
  twice: "this name is there already",
  key: "expected letters, digits and _ before the =, not beginning with a digit",
};

export interface Entry {
  readonly name: string;
  readonly value: string;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly isQuoted: boolean;
}

export interface LineProblem {
  readonly line: number;
  readonly reason: "form" | "quote" | "twice";
}

/** What is wrong with a line, for people. */
export interface LineMark {
  readonly line: number;
  readonly text: string;
}

export const markWords = ({ line, text }: LineMark): string => `Line ${line}: ${text}`;

export interface EnvText {
  readonly entries: readonly Entry[];
  /** Lines that mean nothing here: nothing is guessed. */
  readonly problems: readonly LineProblem[];
}

// Sticky patterns, each tried at one place: a text is read in time that grows with its length.
const ASSIGNMENT = /[ \t]*(?:export[ \t]+)?([A-Za-z0-9_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/y;
const DOUBLE = /"((?:[^"\\]|\\[^])*)"/y;
const SINGLE = /'([^']*)'/y;
const LINE = /([^\n]*)(?:\n|$)/y;
/** What may follow a value in quotes, or be all of a line. */
const NOTHING = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
/** As in files for shells and for Node.js; any other backslash stands for itself, as in expressions. */
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", '"': '"', "\\": "\\", $: "$", "`": "`" };

function matchAt(pattern: RegExp, text: string, at: number): { readonly inner: string; readonly end: number } | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match && { inner: match[1] ?? "", end: pattern.lastIndex };
}

function unescape(text: string): string {
  return text.replace(/\\([^])/g, (match, sign: string) => ESCAPES[sign] ?? match);
}

interface ReadValue extends Pick<Entry, "value" | "isQuoted"> {
  /** Where the next line begins. */
  readonly end: number;
}

/** The value that begins at a place; null: a quote is not closed. */
function readValue(text: string, at: number): ReadValue | null {
  const quote = text[at];
  if (quote === '"' || quote === "'") {
    const quoted = matchAt(quote === '"' ? DOUBLE : SINGLE, text, at);
    const rest = quoted && matchAt(NOTHING, text, quoted.end);
    const value = quoted && (quote === '"' ? unescape(quoted.inner) : quoted.inner);
    return rest && value !== null ? { value, end: rest.end, isQuoted: true } : null;
  }
  const line = matchAt(LINE, text, at);
  // A comment begins after a space, so that values may contain the sign.
  return line && { value: line.inner.replace(/(?:^|[ \t])#.*$/, "").trim(), end: line.end, isQuoted: false };
}

/** Reads a text. A name that is there twice is a problem of its second line; `sameAs` says which names are one. */
export function parseEnvText(source: string, sameAs = (name: string): string => name.toLowerCase()): EnvText {
  const text = source.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  const entries: Entry[] = [];
  const problems: LineProblem[] = [];
  const seen = new Set<string>();
  for (let at = 0, line = 1, end = 0; at < text.length; at = end) {
    const assignment = matchAt(ASSIGNMENT, text, at);
    const found = assignment && readValue(text, assignment.end);
    if (assignment && found) {
      const name = assignment.inner;
      if (seen.has(sameAs(name))) problems.push({ line, reason: "twice" });
      else entries.push({ name, value: found.value, line, isQuoted: found.isQuoted });
      seen.add(sameAs(name));
    } else if (!matchAt(NOTHING, text, at)) {
      problems.push({ line, reason: assignment ? "quote" : "form" });
    }
    end = found?.end ?? matchAt(LINE, text, at)?.end ?? text.length;
    line += text.slice(at, end).split("\n").length - 1;
  }
  return { entries, problems };
}

/** A text that `parseEnvText` reads as these entries. What begins with `@` is quoted: without quotes it may mean something else. */
export function formatEnvText(entries: readonly Pick<Entry, "name" | "value">[]): string {
  const quote = (value: string): string =>
    /^(?:[\w./:%+,=-][\w./:@%+,=-]*)?$/.test(value)
      ? value
      : `"${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
  return entries.map(({ name, value }) => `${name}=${quote(value)}\n`).join("");
}
