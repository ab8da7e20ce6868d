// What a command sends, from its arguments and flags; and how an operation is called that is known by its row alone.
import { teamQuery } from "../../client/client.ts";
import { ReeveError } from "../../client/error.ts";
import type { Client } from "../../client/client.ts";
import type { CallOptions } from "../../client/transport.ts";
import type { OperationId } from "../../client/types.ts";
import type { Endpoint } from "../../platform/kernel/contract.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { FindNamed } from "../bodies/remote/remote-failure.ts";
import { readInput } from "../bodies/input.ts";
import { givenBy } from "../bodies/remote/place-names.ts";
import { orPlace } from "../place-options.ts";
import { fieldsOf, optionName, readValue } from "./fields.ts";
import type { Field } from "./fields.ts";
import type { OperationRow, Positional } from "./row.ts";

export type Values = Readonly<Record<string, unknown>>;

export interface CallInput {
  readonly params: Values;
  readonly query: Values;
  readonly body?: unknown;
}

/** The calls of the client for an operation that is known when the command runs. */
export interface AnyCalls {
  call(operation: OperationId, input: CallInput, options?: CallOptions): Promise<unknown>;
  pages(
    operation: OperationId,
    input: CallInput,
    options: { readonly signal: AbortSignal },
  ): AsyncGenerator<unknown, void>;
  items(operation: OperationId, input: CallInput, options?: CallOptions): AsyncGenerator<unknown, void>;
}

export const anyCalls = (client: Client): AnyCalls => client as unknown as AnyCalls;

function pathMembers({ path }: Endpoint): readonly string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
}

export const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What the command takes by position. */
export function positionalsOf({ args, fixed }: OperationRow, endpoint: Endpoint): readonly Positional[] {
  const members = pathMembers(endpoint);
  const given = members.filter((name) => name !== "teamId" && fixed?.params?.[name] === undefined);
  const explicit = args ?? given;
  // What comes by position in the body comes after the path's.
  const first = explicit.some((one) => typeof one === "string" && given.includes(one)) ? [] : given;
  return [...first, ...explicit].map((one) => {
    if (typeof one !== "string") return one;
    const place = members.includes(one) ? ("path" as const) : ("body" as const);
    return { member: one, place, as: one === "teamId" ? "team" : dashed(one) };
  });
}

/** Whether the path names the team, and the command takes it as a flag. */
export function needsTeam(row: OperationRow, endpoint: Endpoint): boolean {
  return (
    pathMembers(endpoint).includes("teamId") && !positionalsOf(row, endpoint).some(({ member }) => member === "teamId")
  );
}

export interface Given {
  readonly args: readonly string[];
  readonly options: Values;
}

const OWN_WORDS: readonly string[] = ["team", "project", "environment", "version"];

/** For a refusal that says what of the command line is not there. */
export function namedIn(row: OperationRow, endpoint: Endpoint, { args, options }: Given): FindNamed {
  const positionals = positionalsOf(row, endpoint).map(({ as, place }, at) => ({ as, place, value: args[at] }));
  const inPath = positionals.filter(({ place }) => place === "path");
  return (what) => {
    const flag = options[what];
    if (typeof flag === "string") return { value: flag, by: givenBy(what) };
    // `Secret not found` is about the <name>, where that is the only one.
    const only = inPath.length === 1 && !OWN_WORDS.includes(what) ? inPath[0] : undefined;
    const { value, as } = positionals.find(({ as: name }) => name === what || name === `${what}-id`) ?? only ?? {};
    return value === undefined ? undefined : { value, by: `<${as}>` };
  };
}

/** A refusal of a member, by the flag or the argument that gave it. */
export function nameByFlag(error: unknown, row: OperationRow, endpoint: Endpoint, { options }: Given): unknown {
  if (!(error instanceof ReeveError)) return error;
  const { status, code, requestId, retryAfterMs, details } = error;
  const member = error.field.replace(/\[\d+\]$/, "");
  const field = fieldsOf(endpoint).find(({ name, place }) => `${place}.${name}` === member);
  const positional = positionalsOf(row, endpoint).find((one) => `${one.place}.${one.member}` === member);
  const isGiven = field !== undefined && options[optionName(field.flag)] !== undefined;
  const by = isGiven ? `--${field.flag}` : positional && `<${positional.as}>`;
  const [, rest] = /^[\w.[\]]+: ([^]+)$/.exec(error.message) ?? [];
  if (by === undefined || rest === undefined) return error;
  return new ReeveError(`${by}: ${rest}`, { status, code, requestId, retryAfterMs, details });
}

async function readBody(given: Given, fields: readonly Field[], fixed: Values): Promise<Values> {
  const { input } = given.options;
  const fromFile = typeof input === "string" ? await readInput("--input", input) : {};
  if (Array.isArray(fromFile)) return fromFile as unknown as Values;
  const own = fields.flatMap((field) => {
    const value = given.options[optionName(field.flag)];
    return field.place === "body" && value !== undefined ? [[field.name, readValue(field, value)] as const] : [];
  });
  return { ...(fromFile as Values), ...Object.fromEntries(own), ...fixed };
}

/** Throws a Failure that names what is missing. */
export async function readCall(
  row: OperationRow,
  endpoint: Endpoint,
  fields: readonly Field[],
  given: Given,
): Promise<CallInput> {
  const { fixed = {}, byDefault = {}, presets = {} } = row;
  const { options } = given;
  const values = positionalsOf(row, endpoint).map(({ member, place, as }, at) => {
    const text = given.args[at] ?? byDefault[member];
    const field = fields.find((one) => one.place === place && one.name === member);
    return [place, member, text === undefined || !field ? text : readValue(field, text, `<${as}>`)] as const;
  });
  const at = (wanted: string) =>
    Object.fromEntries(
      values.flatMap(([place, name, value]) => (place === wanted && value !== undefined ? [[name, value]] : [])),
    );
  const team = options["team"];
  if (needsTeam(row, endpoint) && team === undefined) {
    throw new Failure("usage", `--team: expected the id or slug of the team ${orPlace("team")}`);
  }
  const owner = !needsTeam(row, endpoint) && typeof team === "string" ? teamQuery(team) : {};
  const inQuery = fields.flatMap((field) => {
    const value = options[optionName(field.flag)];
    return field.place === "query" && value !== undefined ? [[field.name, readValue(field, value)] as const] : [];
  });
  const chosen = Object.entries(presets).flatMap(([flag, { query }]) => (options[flag] === true ? [query] : []));
  const body = await readBody(given, fields, { ...at("body"), ...fixed.body });
  if (options["input"] === undefined) {
    const missing = fields.find(
      ({ name, place, isRequired }) => place === "body" && isRequired && body[name] === undefined,
    );
    if (missing) {
      const value = missing.choices.length === 0 ? "a value" : missing.choices.join(", ");
      throw new Failure("usage", `--${missing.flag}: expected ${value} (or the body as JSON with --input)`);
    }
  }
  const isEmpty = !Array.isArray(body) && Object.keys(body).length === 0;
  const sendsBody = endpoint.body !== undefined && !(isEmpty && endpoint.isBodyOptional === true);
  return {
    params: { ...(needsTeam(row, endpoint) ? { teamId: team } : {}), ...at("path"), ...fixed.params },
    query: Object.assign({}, owner, fixed.query, Object.fromEntries(inQuery), ...chosen) as Values,
    ...(sendsBody ? { body } : {}),
  };
}
