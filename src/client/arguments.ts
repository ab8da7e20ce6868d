// What a program gives the client wrongly: a TypeError that names the argument and what is expected. A value that may be a credential is
// not in it.
import { spellingHint } from "../platform/kernel/text/nearest-name.ts";
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

/** Whether its members are all that it is: those of a Map or of URLSearchParams are none of an object. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null) return true;
  // Each window and each context of a test runner has an `Object` of its own.
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf");
}

/** Refuses what is no plain object, and hidden members, which nobody reads; without any it is as if nothing was given. */
export function requireObject(argument: string, value: unknown, expectation = "a plain object"): void {
  if (value === undefined) return;
  const isOpen = isPlain(value) && Object.getOwnPropertyNames(value).length === Object.keys(value).length;
  if (!isOpen) refuse(argument, expectation);
}

/** Refuses also members of other names: what nobody reads would be as if it was not said. */
export function requireMembers(argument: string, value: object | undefined, known: readonly string[]): void {
  requireObject(argument, value);
  const unknown = Object.keys(value ?? {}).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const names = known.length === 0 ? "no members" : `one of ${known.join(", ")}`;
  refuse(`${argument}.${unknown}`, names + spellingHint(unknown, known));
}

/** Refuses a value of a member; undefined: it was left out. */
export type Rule = (argument: string, value: unknown) => void;
export type Rules<T> = Readonly<Record<keyof T, Rule>>;

/** Refuses also members whose rule refuses their value. */
export function checkMembers<T extends object>(argument: string, value: T | undefined, rules: Rules<T>): void {
  requireMembers(argument, value, Object.keys(rules));
  if (value === undefined) return;
  for (const name of Object.keys(rules) as (keyof T & string)[]) rules[name](name, value[name]);
}

/** A rule for what is left out or as a condition says. */
export function rule(isRight: (value: unknown) => boolean, expectation: string): Rule {
  return (argument, value) => void (value === undefined || isRight(value) || refuse(argument, expectation));
}

/** Its value is checked where it is read. */
export const anything: Rule = () => undefined;
export const requireFunction = rule((value) => typeof value === "function", "a function");
export const requireFlag = rule((value) => typeof value === "boolean", "true or false");
export const requireCount = rule((value) => Number.isInteger(value) && Number(value) >= 0, "a whole number from 0");
/** Timers know no longer one: they would be over at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
export const requireDuration = rule(
  (value) => typeof value === "number" && value > 0 && value <= MAX_TIMER_MS,
  `a number of milliseconds, more than 0 and at most ${MAX_TIMER_MS}`,
);
export const requireSignal = rule((value) => value instanceof AbortSignal, "an AbortSignal");

/** Refuses headers that are no texts. */
export function requireHeaders(argument: string, headers: unknown): void {
  requireObject(argument, headers);
  for (const [name, value] of Object.entries(headers ?? {})) requireText(`${argument}.${name}`, value ?? null);
}

/** The method, as HTTP has it. */
export function methodOf(method: unknown): string {
  if (typeof method === "string" && /^[a-z]+$/i.test(method)) return method.toUpperCase();
  return refuse("method", "the name of a method, such as GET");
}

/** The path, below the server's URL. */
export function pathOf(path: unknown): string {
  if (typeof path === "string" && path !== "" && !path.includes("#")) return path.replace(/^\/+/, "");
  return refuse("path", "a path such as /v2/teams, and # in it written as %23");
}

/** Refuses a text that is empty, as of a variable that is not set: without it a call would be another one. */
export function requireText(argument: string, value: unknown): void {
  if (value === undefined || (typeof value === "string" && value.trim() !== "")) return;
  refuse(argument, "a text; without one, leave it out");
}

/** Refuses an empty name of a team: a call would be about the credential's own owner. */
export function requireTeam(argument: string, value: unknown): void {
  if (value === undefined || (typeof value === "string" && value.trim() !== "")) return;
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
