// Turns what clients send of variables into one change of environments, and names the fields of refusals as the client knows them.
import type { Tx } from "../../../platform/kernel/tx.ts";
import { ApiError, fieldError, shownField } from "../../../platform/kernel/errors.ts";
import { applyChange } from "../change.ts";
import type { EnvironmentsChange } from "../change.ts";
import type { Changes } from "../change-input.ts";
import { KEY_WORDS, isKey } from "../environment-schema.ts";
import { isBuiltIn } from "../project.ts";
import type { ChangeCall, ProjectState } from "../project.ts";
import type { NewVariable, VariableChange, VariableKind } from "./variable-schema.ts";
import { entryOf, kindOf } from "./variable-rules.ts";
import type { Grouped } from "./variable-rules.ts";

type Set = NonNullable<Changes[string]["set"]>[string];

/** An entry of a variable that a change sets, and the part of the body that it is from: `body`, or `body[1]`. */
interface Placed {
  readonly environment: string;
  readonly key: string;
  readonly set: Set;
  readonly at: string;
}

/** The field of the body that an error of a change of environments is about; null: it is about none that the client knows. */
function fieldOf(field: string, placed: readonly Placed[]): string | null {
  const [, environment, , key, member] = /^body\.environments\.([^.]+)(\.set\.([^.]+)(?:\.(\w+))?)?$/.exec(field) ?? [];
  const one = placed.find((each) => each.environment === environment && (key === undefined || each.key === key));
  if (!one) return null;
  if (key === undefined) return `${one.at}.target`;
  return `${one.at}.${member === undefined ? "key" : member === "isSensitive" ? "type" : "value"}`;
}

function renamed(error: ApiError, placed: readonly Placed[]): ApiError {
  const { field, ...details } = error.details;
  if (typeof field !== "string") return error;
  const own = fieldOf(field, placed);
  if (own === null) return error;
  return fieldError(error.code, own, error.message.slice(shownField(field).length + 2), details);
}

/** Removes `removed`, by the name of the environment, and sets what is placed. Returns the project as it is then. */
export async function changeVariables(
  tx: Tx,
  call: ChangeCall,
  projectId: string,
  {
    placed = [],
    removed = [],
    origin,
  }: {
    readonly placed?: readonly Placed[];
    readonly removed?: readonly { readonly environment: string; readonly key: string }[];
    readonly origin?: EnvironmentsChange["origin"];
  },
): Promise<ProjectState> {
  const names = new Set([...placed, ...removed].map(({ environment }) => environment));
  const changes = Object.fromEntries(
    [...names].map((name) => [
      name,
      {
        set: Object.fromEntries(placed.filter((one) => one.environment === name).map(({ key, set }) => [key, set])),
        remove: removed.filter((one) => one.environment === name).map(({ key }) => key),
      },
    ]),
  );
  try {
    return await applyChange(tx, call, projectId, { changes, origin });
  } catch (error) {
    throw error instanceof ApiError ? renamed(error, placed) : error;
  }
}

function requireKey(key: string, at: string): void {
  if (!isKey(key)) throw fieldError("invalid_environment", `${at}.key`, `expected ${KEY_WORDS}`);
}

function refuseBranch({ gitBranch }: VariableChange, at: string): void {
  if (gitBranch === undefined || gitBranch === null || gitBranch === "") return;
  const expected = "expected none: create an environment for the branch, which can inherit from preview";
  throw fieldError("invalid_environment", `${at}.gitBranch`, expected);
}

/** The environments that a body names, each once. Throws for none, and for one that the project has not. */
function environmentsOf(
  { environments }: ProjectState,
  { target, customEnvironmentIds }: Pick<VariableChange, "target" | "customEnvironmentIds">,
  at: string,
): readonly string[] {
  const names = new Set([...(target ?? []), ...(customEnvironmentIds ?? [])]);
  if (names.size === 0) {
    const expected = "expected at least one environment, here or in customEnvironmentIds";
    throw fieldError("invalid_environment", `${at}.target`, expected);
  }
  for (const name of names) {
    if (environments.has(name)) continue;
    const expected = `expected names among ${[...environments.keys()].join(", ")}`;
    const member = customEnvironmentIds?.includes(name) ? "customEnvironmentIds" : "target";
    throw fieldError("invalid_environment", `${at}.${member}`, expected);
  }
  return [...names];
}

/** The type that a body names, by `type`, by `visibility`, or by both alike. */
function typeOf(
  { type, visibility }: Pick<VariableChange, "type" | "visibility">,
  otherwise: VariableKind,
  at: string,
): VariableKind {
  const given = type ?? otherwise;
  if (visibility === undefined || (given === "sensitive") === (visibility === "secret")) return given;
  // Without a type of its own, the body means the type by this.
  if (type === undefined) return visibility === "secret" ? "sensitive" : "encrypted";
  if (type === "encrypted") return "sensitive";
  const expected = `expected ${type === "sensitive" ? "secret" : "config"} beside the type ${type}`;
  throw fieldError("invalid_environment", `${at}.visibility`, expected);
}

/** An entry of that type with a value. */
function withValue(type: VariableKind, value: string): Set {
  if (type === "plain") return { value };
  if (type === "secret") return { secret: value, isSensitive: false };
  return { secretValue: value, isSensitive: type === "sensitive" };
}

/** Refuses a key that environments have, as another variable than `id`. */
function refuseTaken(state: ProjectState, names: readonly string[], key: string, at: string, id?: string): void {
  const taken = names.filter((name) => {
    const entry = state.environments.get(name)?.content.entries.get(key);
    return entry !== undefined && entry.id !== id;
  });
  if (taken.length === 0) return;
  const how = id === undefined ? "; upsert=true replaces it" : "";
  const problem = `${taken.join(", ")} already ${taken.length === 1 ? "has" : "have"} a variable ${key}${how}`;
  throw fieldError("env_conflict", `${at}.key`, problem, { environments: taken });
}

/** The entries of new variables. */
export function placeNew(
  state: ProjectState,
  variables: readonly { readonly variable: NewVariable; readonly at: string }[],
  isUpsert: boolean,
): readonly Placed[] {
  const seen = new Map<string, string>();
  return variables.flatMap(({ variable, at }) => {
    const { key, value, comment } = variable;
    requireKey(key, at);
    refuseBranch(variable, at);
    const names = environmentsOf(state, variable, at);
    const set = { ...withValue(typeOf(variable, "encrypted", at), value), comment: comment ?? null };
    if (!isUpsert) refuseTaken(state, names, key, at);
    return names.map((environment) => {
      const before = seen.get(`${environment} ${key}`);
      if (before !== undefined) {
        throw fieldError("env_conflict", `${at}.key`, `${before} has the same key for ${environment}`);
      }
      seen.set(`${environment} ${key}`, shownField(at));
      return { environment, key, set, at };
    });
  });
}

/** An entry of the type with the value that the variable has. */
function withKeptValue(variable: Grouped, type: VariableKind): Set {
  const { secret, value = "" } = entryOf(variable);
  const before = kindOf(variable);
  if (secret === undefined) return withValue(type, value);
  if (type === before || (before === "encrypted" && type === "sensitive")) {
    return { secret, isSensitive: type === "sensitive" };
  }
  const expected = `expected the value, to make the type ${type} of ${before}`;
  throw fieldError("invalid_environment", "body.value", expected);
}

/** What a change of a variable sets and removes. */
export function placeChange(state: ProjectState, variable: Grouped, body: VariableChange) {
  const at = "body";
  const { key = variable.key, value, comment } = body;
  requireKey(key, at);
  refuseBranch(body, at);
  const names = environmentsOf(
    state,
    {
      target: body.target ?? (variable.environments.filter(isBuiltIn) as NonNullable<VariableChange["target"]>),
      customEnvironmentIds: body.customEnvironmentIds ?? variable.environments.filter((name) => !isBuiltIn(name)),
    },
    at,
  );
  refuseTaken(state, names, key, at, variable.id);
  const type = typeOf(body, kindOf(variable), at);
  const set = {
    ...(value === undefined ? withKeptValue(variable, type) : withValue(type, value)),
    ...(comment === undefined ? {} : { comment }),
  };
  return {
    key,
    placed: names.map((environment): Placed => ({ environment, key, set, at })),
    removed: variable.environments
      .filter((name) => key !== variable.key || !names.includes(name))
      .map((environment) => ({ environment, key: variable.key })),
    origin: { key, entry: entryOf(variable), isKept: value === undefined },
  };
}
