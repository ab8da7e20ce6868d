// What a program gives the client wrongly: a TypeError that names the argument and what is expected. A value that may be a credential is
// not in it.
import { OPERATIONS } from "./operations.ts";
import type { OperationId } from "./types.ts";

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly items?: string;
  /** Without a team in the query it is about the credential's own owner. */
  readonly isOwned?: boolean;
}

/** Refuses an argument. */
export function refuse(argument: string, expectation: string): never {
  throw new TypeError(`${argument}: expected ${expectation}`);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Refuses what has no members; without any it is as if nothing was given. */
export function requireObject(argument: string, value: unknown, expectation = "an object"): void {
  if (value !== undefined && !isObject(value)) refuse(argument, expectation);
}

/** Refuses an empty name of a team, as of a variable that is not set: a call would be about the credential's own owner. */
export function requireTeam(argument: string, value: unknown): void {
  const isName = (one: unknown) => typeof one === "string" && one.trim() !== "";
  if (value === undefined || [value].flat().every(isName)) return;
  refuse(argument, "the id or slug of a team; without a team, leave it out");
}

/** The URL of a server, to which paths can be added. Its user and its query may be credentials. */
export function baseOf(server: unknown): string {
  const text = String(server);
  const { protocol, username, password, search, hash } = URL.canParse(text) ? new URL(text) : { protocol: "" };
  if (/^https?:$/.test(protocol) && !username && !password && !search && !hash) return text.replace(/\/*$/, "/");
  return refuse(
    "server",
    "an http or https URL without a user, a query or a fragment, such as https://reeve.example.com",
  );
}

/** The operation with a name. */
export function operationOf(id: unknown): Operation {
  if (typeof id === "string" && Object.hasOwn(OPERATIONS, id)) return OPERATIONS[id as OperationId];
  const given = typeof id === "string" ? JSON.stringify(id) : typeof id;
  return refuse("operation", `a name of an operation in openapi.json, such as "listTeams", got ${given}`);
}

/** The member of a list's pages that has its items; empty: the page is the list. */
export function itemsOf(id: unknown): string {
  return operationOf(id).items ?? refuse("operation", `one that lists, such as "listTeams", got ${JSON.stringify(id)}`);
}

/** The header of a token. That `fetch` refuses one would show it. */
export function authorizationOf(token: unknown): string {
  if (typeof token === "string" && /^[!-~]+$/.test(token)) return `Bearer ${token}`;
  return refuse("token", "an access token or an API key: visible ASCII characters without spaces or line ends");
}
