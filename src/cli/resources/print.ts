// How results of the API are printed: tables that fit a terminal, lines with tabs for programs, and JSON with a choice of fields.
import { toPrintable } from "../../kernel/text/printable-text.ts";
import { Failure } from "../failure.ts";
import { formatTable, formatTime } from "../output.ts";

export type Item = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, { readonly isTime: boolean }>>;

/** `--json name,id`: the chosen fields; `*`: all of them. */
export function chooseFields(text: string | true, members: Members): readonly string[] {
  const known = Object.keys(members);
  const list = () => `: choose of ${known.join(", ")}, or '*' for all`;
  if (text === true) throw new Failure("usage", `--json: expected fields, separated by commas${list()}`);
  if (text === "*") return known;
  const chosen = text.split(",").map((name) => name.trim());
  const unknown = chosen.find((name) => !Object.hasOwn(members, name));
  if (unknown !== undefined) throw new Failure("usage", `--json: there is no field "${unknown}"${list()}`);
  return chosen;
}

export function pick(item: Item, fields: readonly string[]): Item {
  return Object.fromEntries(fields.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));
}

function cell(value: unknown, isTime: boolean): string {
  if (value === null || value === undefined) return "";
  if (isTime && typeof value === "number") return formatTime(value, "");
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) return value.join(",");
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What people call an object by. */
function labelOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { name, key, slug, id } = value as Item;
  return [name, key, slug, id].find((one) => typeof one === "string") ?? null;
}

/** Objects that have names are shown by them alone: their other members are for --json. */
function cellForPeople(value: unknown, isTime: boolean): string {
  const labels = [value].flat().map(labelOf);
  return labels.length > 0 && labels.every((one) => one !== null) ? labels.join(", ") : cell(value, isTime);
}

function cellsOf(item: Item, columns: readonly string[], members: Members, isTerminal: boolean): readonly string[] {
  const show = isTerminal ? cellForPeople : cell;
  return columns.map((name) => toPrintable(show(item[name], members[name]?.isTime === true)));
}

const MIN_WIDTH = 5;

/** Cuts every column that is wider than the others may be, until a line fits. */
function fit(rows: readonly (readonly string[])[], width: number): readonly (readonly string[])[] {
  const whole = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => Array.from(row[at] as string).length)));
  const lineWidth = (limit: number) => whole.reduce((sum, one) => sum + Math.min(one, limit) + 2, -2);
  let widest = Math.max(MIN_WIDTH, Math.min(width, Math.max(...whole)));
  while (lineWidth(widest) > width && widest > MIN_WIDTH) widest--;
  const widths = whole.map((one) => Math.min(one, widest));
  const cut = (text: string, most: number) => {
    const letters = Array.from(text);
    if (letters.length <= most) return text;
    // An escaped character is cut as a whole.
    const kept = letters
      .slice(0, most - 1)
      .join("")
      .replace(/\\(?:u[\da-f]{0,3})?$/, "");
    return `${kept}…`;
  };
  return rows.map((row) => row.map((text, at) => cut(text, widths[at] as number)));
}

const HEADINGS: Readonly<Record<string, string>> = {
  createdAt: "created",
  expiresAt: "expires",
  activeAt: "last used",
};
const heading = (name: string): string =>
  HEADINGS[name] ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** A table for a terminal that is `width` characters wide. */
export function tableOf(items: readonly Item[], columns: readonly string[], members: Members, width: number): string {
  const [head = [], ...rows] = fit(
    [columns.map(heading), ...items.map((item) => cellsOf(item, columns, members, true))],
    width,
  );
  return formatTable(head, rows);
}

/** Lines for programs: cells between tabs, without a heading. */
export function linesOf(items: readonly Item[], columns: readonly string[], members: Members): string {
  return items.map((item) => cellsOf(item, columns, members, false).join("\t")).join("\n");
}

/** One object: its members under each other. */
export function detailsOf(item: Item, members: Members, isTerminal: boolean): string {
  const names = Object.keys(item);
  const width = Math.max(0, ...names.map((name) => name.length)) + 2;
  const values = cellsOf(item, names, members, isTerminal);
  return names
    .map((name, at) => (isTerminal ? `${name.padEnd(width)}${values[at]}` : `${name}\t${values[at]}`))
    .join("\n");
}
