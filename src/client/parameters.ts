// The parameters of a call in its URL. A value that is missing is undefined; an empty one is sent as it is, and the server refuses it where it
// would mean something else than was meant.
import { refuse, requireMembers, requireObject, requireTeam } from "./arguments.ts";

type Query = Readonly<Record<string, unknown>>;

const isValue = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** A query, or a form, as it is sent. */
export function queryOf(query: Query | URLSearchParams = {}, argument = "query"): URLSearchParams {
  if (query instanceof URLSearchParams) return query;
  requireObject(argument, query, "a plain object or URLSearchParams");
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (all.length === 0 || !all.every(isValue)) {
      refuse(`${argument}.${name}`, "a text, a number, true or false, or a list of some; without one, leave it out");
    }
    for (const one of all) params.append(name, String(one));
  }
  return params;
}

/** Adds the query to those of the path. */
export function addQuery({ searchParams }: URL, query: Query | URLSearchParams | undefined): void {
  for (const [name, value] of queryOf(query)) searchParams.append(name, value);
  for (const name of ["teamId", "slug"]) {
    for (const team of searchParams.getAll(name)) requireTeam(`query.${name}`, team);
  }
}

/** The path of an operation with its parameters. */
export function fillPath(path: string, params: Query = {}): string {
  requireMembers(
    "params",
    params,
    [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name),
  );
  return path.replace(/:(\w+)/g, (_match, name: string) => {
    const value = params[name];
    if (value === "" || (typeof value !== "string" && typeof value !== "number")) refuse(`params.${name}`, "a value");
    // A URL has no such segments: the request would go to the path of another operation.
    if (value === "." || value === "..") refuse(`params.${name}`, `a value other than ${value}`);
    return encodeURIComponent(value);
  });
}
