// The limits of a credential: to single permissions, and to projects, environments and names. They are chosen when it is made and never
// change. What is outside of them does not exist for it. Which parts of a request they apply to is data of each contract.
import { fieldError, notFound, projectNotFound } from "./errors.ts";
import type { ApiError } from "./errors.ts";
import type { Permission } from "./roles.ts";
import { createGlob } from "./text/glob.ts";

/** What a credential can be limited to, beside permissions. */
export const DIMENSIONS = ["project", "environment", "name"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** The lists of a credential; null: any. */
export interface Places {
  readonly projects: readonly string[] | null;
  readonly environments: readonly string[] | null;
  /** Names of secrets and variables, exact or with `*` for any characters, without regard to case. */
  readonly names: readonly string[] | null;
}

export interface Limits extends Places {
  /** The only permissions that it has; null: all of its role or user. */
  readonly permissions: readonly Permission[] | null;
}

/** A caller, or what is to become one. */
interface Limited {
  readonly limits: Limits | null;
}

const LIST_OF = { project: "projects", environment: "environments", name: "names" } as const;
const NOUN = { project: "Project", environment: "Environment", name: "Secret" } as const;
const NO_PLACES: Places = { projects: null, environments: null, names: null };

/** A path in a request, where it names what a limit is about. */
type Path = `${"params" | "query" | "body"}.${string}`;

/**
 * Where a limit applies to the requests of an endpoint: a path whose value must be within it; several, all of which that are there
 * must be, with the value of a request without any; or `handler`, where what is named is known only after it was read, or a list
 * leaves out what is outside. An endpoint refuses every credential with a limit that it does not declare.
 */
export type LimitPlace = "handler" | Path | { readonly at: readonly Path[]; readonly otherwise: string };
export type LimitPlaces = Partial<Readonly<Record<Dimension, LimitPlace>>>;

/** For endpoints whose handlers compare limits with limits. */
export const IN_HANDLER = { project: "handler", environment: "handler", name: "handler" } as const;

/** The list that a credential has for a dimension; null: it is not limited in it. */
export function limitOf(limits: Places | null, dimension: Dimension): readonly string[] | null {
  return limits === null ? null : limits[LIST_OF[dimension]];
}

/** Whether a credential is limited to projects, environments or names. */
export function hasPlaces(limits: Places | null): boolean {
  return DIMENSIONS.some((dimension) => limitOf(limits, dimension) !== null);
}

const lower = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The lists of names of credentials, compiled once: lists of secrets are held against them row by row. */
const compiled = new WeakMap<readonly string[], (name: string) => boolean>();

function compileNames(list: readonly string[]): (name: string) => boolean {
  const names = list.map(lower);
  const exact = new Set(names);
  const globs = names.filter((name) => name.includes("*")).map((name) => createGlob(name));
  return (name) => exact.has(name) || globs.some((fits) => fits(name));
}

function isIn(list: readonly string[], dimension: Dimension, value: string): boolean {
  if (dimension !== "name") return list.includes(value);
  const isNamed = compiled.get(list) ?? compileNames(list);
  compiled.set(list, isNamed);
  return isNamed(lower(value));
}

/** Whether a caller may know of the project, environment, secret or variable with this name. */
export function isWithin({ limits }: Limited, dimension: Dimension, value: string): boolean {
  const list = limitOf(limits, dimension);
  return list === null || isIn(list, dimension, value);
}

/** The response for what a caller may not know of is the one for what does not exist. */
export function outsideOf(dimension: Dimension, named: string): ApiError {
  return dimension === "project" ? projectNotFound(named) : notFound(NOUN[dimension]);
}

/** Refuses a new name that the caller could not use itself: who names something new learns nothing by a refusal that says why. */
export function requireNewName(caller: Limited, name: string, field: string): void {
  const names = limitOf(caller.limits, "name");
  if (names === null || isIn(names, "name", name)) return;
  throw fieldError("forbidden", field, `expected a name that this credential is limited to: ${names.join(", ")}`);
}

/** Whether everything that the limits `inner` allow is allowed by `outer`, which may be none. */
export function areLimitsWithin(inner: Places | null, outer: Places | null): boolean {
  return DIMENSIONS.every((dimension) => {
    const most = limitOf(outer, dimension);
    if (most === null) return true;
    return limitOf(inner, dimension)?.every((value) => isIn(most, dimension, value)) ?? false;
  });
}

/** Refuses to make a credential that could do what the caller can't, and says in which list. */
export function requireLimitsWithin({ limits }: Limited, wanted: Places | null): void {
  for (const dimension of DIMENSIONS) {
    const most = limitOf(limits, dimension);
    if (most === null || limitOf(wanted, dimension)?.every((value) => isIn(most, dimension, value))) continue;
    const expected = `expected some of ${most.join(", ")}, to which the credential of this request is limited`;
    throw fieldError("forbidden", `body.${LIST_OF[dimension]}`, expected);
  }
}

/** What limits a credential, of its columns; null: nothing. */
export function readLimits(columns: {
  readonly permissions: string | null;
  readonly limits: string | null;
}): Limits | null {
  const { permissions, limits } = columns;
  if (permissions === null && limits === null) return null;
  return {
    permissions: permissions === null ? null : (JSON.parse(permissions) as Permission[]),
    ...(limits === null ? NO_PLACES : (JSON.parse(limits) as Places)),
  };
}

const copyOf = <T>(list: readonly T[] | null) => list && [...list];

/** The limits of a credential for responses and events; null: all, or any. */
export function shownLimits(limits: Limits | null) {
  const { permissions, projects, environments, names } = limits ?? { permissions: null, ...NO_PLACES };
  return {
    permissions: copyOf(permissions),
    projects: copyOf(projects),
    environments: copyOf(environments),
    names: copyOf(names),
  };
}

/** The projects, environments and names of a body, in their stored form; null: all. */
export function storedPlaces({ projects = null, environments = null, names = null }: Partial<Places>): string | null {
  const places: Places = { projects, environments, names };
  return hasPlaces(places) ? JSON.stringify(places) : null;
}
