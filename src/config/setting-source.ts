// Finds the value of a setting: in a flag, in a variable, or in a file that a variable names.
import { readFileSync } from "node:fs";

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
  /** Reads the text; throws an Error whose message says what was expected. */
  parse(text: string): T;
}

interface Given {
  readonly text: string;
  /** The source to name in an error message. */
  readonly source: string;
}

function readSettingFile(source: string, path: string): Given {
  try {
    return { text: readFileSync(path, "utf8").trim(), source };
  } catch (error) {
    throw new ConfigError(`${source}: expected a file that can be read: ${(error as Error).message}`);
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
  if (flag !== undefined) return { text: flag, source: `--${name}` };
  const text = environment[env];
  const path = fileEnv && environment[fileEnv];
  if (text && path) throw new ConfigError(`${fileEnv}: expected to be alone, but ${env} is set too`);
  if (path) return readSettingFile(fileEnv, path);
  return text ? { text, source: env } : null;
}

/** The value of a setting, by its default where it is absent; null where it has none. */
export function readSetting(
  setting: Setting<unknown>,
  flag: string | undefined,
  environment: NodeJS.ProcessEnv,
): unknown {
  const { text, source } = findGiven(setting, flag, environment) ?? { text: setting.fallback, source: setting.env };
  if (text === null) return null;
  try {
    return setting.parse(text);
  } catch (error) {
    const given = setting.isSecret ? `a value of ${text.length} characters` : JSON.stringify(text);
    throw new ConfigError(`${source}: ${(error as Error).message}, got ${given}`);
  }
}
