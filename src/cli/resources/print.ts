// How results of the API are printed: tables that fit a terminal, lines with tabs for programs, and JSON with a choice of fields.
import { toPrintable } from "../../platform/kernel/text/printable-text.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { formatTable, formatTime } from "../output.ts";
import { sayTime } from "../times.ts";

export type Item = Readonly<Record<string, unknown>>;
type Members = Readonly<Record<string, { readonly isTime: boolean }>>;

/** `--json name,id`: the chosen fields; `*`: all of them. */
export function chooseFields(text: string, members: Readonly<Record<string, unknown>>): readonly string[] {
  const known = Object.keys(members);
  const list = () => `: choose of ${known.join(", ")}, or '*' for all`;
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

/** What is copied into the next command. A project's id is its name. */
const isId = (name: string): boolean => /^(?:id|uid|Id)$|(?<!project)Id$/.test(name);

/** A row of a table: times as people say them, because the exact ones of --json leave no place for anything else. */
function rowOf(item: Item, columns: readonly string[], members: Members, now: number): readonly string[] {
  return columns.map((name) => {
    const value = item[name];
    const isTime = members[name]?.isTime === true && typeof value === "number";
    return toPrintable(isTime ? sayTime(value, now) : cellForPeople(value, false));
  });
}

const MIN_WIDTH = 5;

/**
 * Cuts every column that is wider than the others may be, until a line fits. Columns that are `kept` stay whole: ids always, times unless a
 * line has no place for them.
 */
function fit(
  rows: readonly (readonly string[])[],
  width: number,
  kept: readonly ("id" | "time" | null)[],
): readonly (readonly string[])[] {
  const whole = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => Array.from(row[at] as string).length)));
  const widthsFor = (limit: number, cutsTimes: boolean) =>
    whole.map((one, at) => (kept[at] === null || (kept[at] === "time" && cutsTimes) ? Math.min(one, limit) : one));
  const fits = (widths: readonly number[]) => widths.reduce((sum, one) => sum + one + 2, -2) <= width;
  let [limit, cutsTimes] = [Math.max(MIN_WIDTH, Math.min(width, Math.max(...whole))), false];
  while (!fits(widthsFor(limit, cutsTimes)) && !(limit === MIN_WIDTH && cutsTimes)) {
    if (limit > MIN_WIDTH) limit--;
    else [limit, cutsTimes] = [width, true];
  }
  const widths = widthsFor(limit, cutsTimes);
  const cut = (text: string, length: number) => {
    const letters = Array.from(text);
    if (letters.length <= length) return text;
    // An escaped character is cut as a whole.
    const beginning = letters
      .slice(0, length - 1)
      .join("")
      .replace(/\\(?:u[\da-f]{0,3})?$/, "");
    return `${beginning}…`;
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

/** A table for a terminal that is `width` characters wide, with ids at its end. */
export function tableOf(
  items: readonly Item[],
  columns: readonly string[],
  members: Members,
  width: number,
  now = Date.now(),
): string {
  const ordered = [...columns.filter((name) => !isId(name)), ...columns.filter(isId)];
  const [head = [], ...rows] = fit(
    [ordered.map(heading), ...items.map((item) => rowOf(item, ordered, members, now))],
    width,
    ordered.map((name) => (isId(name) ? "id" : members[name]?.isTime === true ? "time" : null)),
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
