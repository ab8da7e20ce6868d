// Reads the entries that a change sets, and refuses what is wrong with them by the name of their field.
import type { Static } from "typebox";
import type { Call } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { isWithin, requireNewName } from "../../platform/kernel/limits.ts";
import { requirePermission } from "../../platform/kernel/permission.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findSecret } from "../secrets/find.ts";
import type { EnvironmentChange } from "./environment-schema.ts";
import { KEY_WORDS, LIMITS, isKey } from "./environment-schema.ts";
import { knownNames } from "./project.ts";
import type { ProjectState } from "./project.ts";
import { mayRefer } from "./references.ts";

/** Changes by the name of the environment. */
export type Changes = Readonly<Record<string, Static<typeof EnvironmentChange>>>;

/** An entry as a change sets it. */
export interface SetEntry {
  readonly environment: string;
  readonly key: string;
  readonly field: string;
  /** The id of a secret, a plain value, or a value to store as a secret: one of them. */
  readonly secret?: string;
  readonly value?: string;
  readonly secretValue?: string;
  /** Undefined leaves it. */
  readonly isSensitive?: boolean | undefined;
  /** Undefined leaves it. */
  readonly comment?: string | null | undefined;
}

export interface ReadChanges {
  readonly set: readonly SetEntry[];
  /** Keys by the name of the environment. */
  readonly remove: ReadonlyMap<string, ReadonlySet<string>>;
}

const KINDS = ["secret", "value", "secretValue"] as const;

function requireKey(key: string, field: string): void {
  if (!isKey(key)) throw fieldError("invalid_environment", field, `expected a key of ${KEY_WORDS}`);
}

/**
 * Secrets belong to no project: a credential for some of them could read any secret through an entry of its own.
 */
function refuseReference(caller: Call["caller"], field: string): void {
  if (mayRefer(caller)) return;
  const expected =
    "expected a value of its own, not a secret by name or id: this credential is limited to projects or environments";
  throw fieldError("forbidden", field, expected);
}

/**
 * Finds a secret, each name once. It must be decryptable: an application could not have its value otherwise. `kept` is the id of one that
 * the caller refers to by an entry that it knows. What entries that come to have a secret need besides, `requireReferences` asks for.
 */
function createSecretFinder(tx: Tx, { scope, caller }: Pick<Call, "scope" | "caller">, kept?: string) {
  const known = new Map<string, string>();
  return async (idOrName: string, field: string): Promise<string> => {
    const isKept = idOrName === kept;
    if (!isKept) {
      requirePermission(scope, "secret:read");
      refuseReference(caller, field);
    }
    return known.get(idOrName) ?? (await find(idOrName, isKept, field));
  };

  async function find(idOrName: string, isKept: boolean, field: string): Promise<string> {
    const row = await findSecret(tx, scope.ownerId, idOrName);
    if (!row || !(isKept || isWithin(caller, "name", row.name)))
      throw fieldError("invalid_environment", field, "expected the name or id of a secret, there is no such one");
    if (row.decryptable === 0) {
      throw fieldError(
        "secret_not_decryptable",
        field,
        `expected a decryptable secret; ${row.name} was stored so that it can never be read back`,
      );
    }
    known.set(idOrName, row.id);
    return row.id;
  }
}

function requireValueSize(value: string, field: string): void {
  const size = Buffer.byteLength(value);
  if (size <= LIMITS.valueBytes) return;
  throw fieldError("invalid_environment", field, `expected at most ${LIMITS.valueBytes} bytes, got ${size}`);
}

/** Reads the changes of environments that the project has. */
export async function readChanges(
  tx: Tx,
  call: Pick<Call, "scope" | "caller">,
  state: ProjectState,
  changes: Changes,
  kept?: string,
): Promise<ReadChanges> {
  const findId = createSecretFinder(tx, call, kept);
  const set: SetEntry[] = [];
  const remove = new Map<string, ReadonlySet<string>>();
  let secretValues = 0;
  const known = knownNames(state.environments.keys(), call.caller);
  for (const [environment, change] of Object.entries(changes)) {
    const at = `body.environments.${environment}`;
    if (!known.includes(environment)) {
      throw fieldError("invalid_environment", at, `expected one of ${known.join(", ")}`);
    }
    const removed = new Set(change.remove);
    remove.set(environment, removed);
    for (const [index, key] of (change.remove ?? []).entries()) {
      requireKey(key, `${at}.remove[${index}]`);
      requireNewName(call.caller, key, `${at}.remove[${index}]`);
    }
    for (const [key, input] of Object.entries(change.set ?? {})) {
      const field = `${at}.set.${key}`;
      requireKey(key, field);
      requireNewName(call.caller, key, field);
      if (removed.has(key)) throw fieldError("invalid_environment", field, "expected either in set or in remove");
      const [kind, ...others] = KINDS.filter((one) => input[one] !== undefined);
      if (kind === undefined || others.length > 0) {
        throw fieldError("invalid_environment", field, `expected one of ${KINDS.join(", ")}`);
      }
      const { isSensitive, comment } = input;
      if (isSensitive && kind === "value") {
        const expected = "expected false for a plain value, which everybody who may see the environment sees";
        throw fieldError("invalid_environment", `${field}.isSensitive`, expected);
      }
      const base = { environment, key, field: `${field}.${kind}`, isSensitive, comment };
      const given = input[kind] as string;
      if (kind === "secret") {
        set.push({ ...base, secret: await findId(given, base.field) });
        continue;
      }
      if (kind === "value") {
        requireValueSize(given, base.field);
        set.push({ ...base, value: given });
        continue;
      }
      requirePermission(call.scope, "secret:write");
      secretValues++;
      if (secretValues > LIMITS.secretValues) {
        throw fieldError(
          "invalid_environment",
          base.field,
          `expected at most ${LIMITS.secretValues} values as secrets in one change`,
        );
      }
      set.push({ ...base, secretValue: given });
    }
  }
  return { set, remove };
}
