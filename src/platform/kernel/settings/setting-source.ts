// Finds the value of a setting: in a flag, in a variable, or in a file that a variable names.
import { readFileSync } from "node:fs";
import { decodeText, findEncodingProblem, findReplacement } from "../text/decode-text.ts";
import { fileReason } from "../text/file-reason.ts";

/** A setting that can't be used; the message names it and says what was expected. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

interface SettingSource {
  /** Environment variable. */
  readonly env: string;
  /**
   * Environment variable with the path of a file that holds the value: everyone who may inspect a container sees its
   * environment.
   */
  readonly fileEnv?: string;
  /** Name of the flag, without the dashes; null for a setting whose value `ps` must not show. */
  readonly flag: string | null;
}

/** A setting with how it is read. */
export interface Setting<T> extends SettingSource {
  readonly help: string;
  /** The default, as people would write it. */
  readonly fallback: string | null;
  /** The value is or may contain a credential, so no message repeats it. */
  readonly isSecret?: true;
  /** Reads the text, and what of the environment completes it; throws an Error whose message says what was expected. */
  parse(text: string, environment: NodeJS.ProcessEnv): T;
}

/** What settings are read to: the values that their parsers return; null where one that has no default is not given. */
export type SettingValues<S extends Readonly<Record<string, Setting<unknown>>>> = {
  readonly [K in keyof S]: ReturnType<S[K]["parse"]> | (S[K]["fallback"] & null);
};

/** Where the value of a setting comes from: `file` is a file that a variable names. */
export type SettingOrigin = "flag" | "environment" | "file" | "default";

interface Given {
  readonly text: string;
  /** The source to name in an error message. */
  readonly source: string;
  readonly from: SettingOrigin;
}

/** The text of a file that a setting names. Throws an Error that says what was expected. */
export function readTextFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`expected a file that can be read: ${fileReason(error)}`, { cause: error });
  }
  const problem = findEncodingProblem(bytes);
  if (problem !== null) throw new Error(`${path}: ${problem}`);
  return decodeText(bytes);
}

function readSettingFile(source: string, path: string): Given {
  try {
    const text = readTextFile(path).trim();
    if (text === "") throw new Error(`expected a file with a value, got an empty one: ${path}`);
    return { text, source, from: "file" };
  } catch (error) {
    throw new ConfigError(`${source}: ${(error as Error).message}`);
  }
}

/**
 * Reads the flag, the variable and the file. An empty variable counts as absent, because compose files pass on unset variables
 * as empty; an empty flag does not.
 */
function findGiven(
  { env, fileEnv, flag: name }: SettingSource,
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): Given | null {
  if (flag !== undefined) return { text: flag, source: `--${name}`, from: "flag" };
  const text = environment[env];
  const path = fileEnv && environment[fileEnv];
  const problem = findReplacement(text ?? "");
  if (problem !== null) throw new ConfigError(`${env}: ${problem}`);
  if (text && path) throw new ConfigError(`${fileEnv}: expected to be alone, but ${env} is set too`);
  if (path) return readSettingFile(fileEnv, path);
  return text ? { text, source: env, from: "environment" } : null;
}

export interface FoundSetting {
  /** By its default where it is absent; null where it has none. */
  readonly value: unknown;
  /** As it is written; null where the setting is absent, or holds a credential. */
  readonly text: string | null;
  readonly from: SettingOrigin;
}

export function findSetting(
  setting: Setting<unknown>,
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): FoundSetting {
  const { env, fallback, isSecret, parse } = setting;
  const { text, source, from } = findGiven(setting, flag, environment) ?? {
    text: fallback,
    source: env,
    from: "default" as const,
  };
  if (text === null) return { value: null, text, from };
  try {
    return { value: parse(text, environment), text: isSecret ? null : text, from };
  } catch (error) {
    // A URL may have a password, also where none belongs.
    const given = isSecret
      ? `a value of ${text.length} characters`
      : JSON.stringify(text.replace(/\/\/[^/?#]*@/, "//...@"));
    throw new ConfigError(`${source}: ${(error as Error).message}, got ${given}`);
  }
}

/** The value of a setting, by its default where it is absent; null where it has none. */
export function readSetting(
  setting: Setting<unknown>,
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): unknown {
  return findSetting(setting, flag, environment).value;
}
