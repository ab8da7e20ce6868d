// The settings of commands that work on a server anywhere, over HTTP. They are variables for programs such as CI; people sign in with
// `reeve login` instead.
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { ConfigError, readSetting } from "../../platform/kernel/settings/setting-source.ts";
import type { Setting } from "../../platform/kernel/settings/setting-source.ts";
import { expected, url } from "../../platform/kernel/settings/setting-values.ts";

export interface RemoteSettings {
  /** Without a slash at the end. */
  readonly server: string | null;
  /** An access token or an API key. */
  readonly token: string | null;
  /** The server that the token is for: that of the variable, whatever a flag says. */
  readonly tokenServer: string | null;
  /** What commands are about where no flag says it. */
  readonly place: { readonly [K in "team" | "project" | "env"]: string | null };
  /** The file of the contexts that a person is signed in to. */
  readonly contextsFile: string;
  /** The folder of values for starts without the server. */
  readonly valuesFolder: string;
}

function serverUrl(text: string): string {
  const { href, username, password, search, hash } = new URL(url(text, ["http:", "https:"]));
  if (username || password || search || hash) expected("a URL without a user, a query or a fragment");
  return href.replace(/\/+$/, "");
}

function placeName(text: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/.test(text) ? text : expected("a name or an id");
}

export const REMOTE_SETTINGS = {
  server: {
    env: "REEVE_SERVER",
    flag: "server",
    help: "URL of the server to work on, instead of that of the current context",
    fallback: null,
    parse: serverUrl,
  },
  token: {
    env: "REEVE_TOKEN",
    fileEnv: "REEVE_TOKEN_FILE",
    flag: null,
    help: "access token or API key for the server of REEVE_SERVER, instead of signing in",
    fallback: null,
    isSecret: true,
    parse: (text) => (/^\w{16,256}$/.test(text) ? text : expected("16 to 256 letters, digits or underscores")),
  },
  team: {
    env: "REEVE_TEAM",
    flag: "team",
    help: "id or slug of the team that commands are about, instead of that of `reeve link`",
    fallback: null,
    parse: placeName,
  },
  project: {
    env: "REEVE_PROJECT",
    flag: "project",
    help: "project that commands are about, instead of that of `reeve link`",
    fallback: null,
    parse: placeName,
  },
  env: {
    env: "REEVE_ENV",
    flag: "env",
    help: "environment that commands are about, instead of that of `reeve link`",
    fallback: null,
    parse: placeName,
  },
} satisfies Readonly<Record<string, Setting<string>>>;

/**
 * Throws a ConfigError for a variable that is set and empty: without it, a command would work with another credential or on what the
 * credential itself owns. (A server's settings take an empty one as absent, because compose files pass those on.)
 */
function refuseEmpty(
  { env, fileEnv }: { readonly env: string; readonly fileEnv?: string },
  from: NodeJS.ProcessEnv,
): void {
  const names = [env, fileEnv].filter((name) => name !== undefined);
  const empty = names.find((name) => from[name] === "");
  if (empty === undefined || names.some((name) => from[name])) return;
  throw new ConfigError(`${empty}: expected a value, got nothing; without one, unset it`);
}

/** A folder of a person. A relative path is to be ignored: XDG Base Directory Specification. */
function personalFolder(given: string | undefined, byDefault: string): string {
  return given !== undefined && isAbsolute(given) ? given : join(homedir(), byDefault);
}

/** The settings from the flag, then the environment; throws a ConfigError for the first that is wrong. */
export function readRemoteSettings(
  flags: { readonly server?: string | undefined },
  environment: NodeJS.ProcessEnv,
): RemoteSettings {
  for (const setting of Object.values(REMOTE_SETTINGS)) refuseEmpty(setting, environment);
  const server = readSetting(REMOTE_SETTINGS.server, flags.server, environment) as string | null;
  const token = readSetting(REMOTE_SETTINGS.token, undefined, environment) as string | null;
  const tokenServer = readSetting(REMOTE_SETTINGS.server, undefined, environment) as string | null;
  const configuration = personalFolder(environment["XDG_CONFIG_HOME"], ".config");
  const cache = personalFolder(environment["XDG_CACHE_HOME"], ".cache");
  return {
    server,
    token,
    tokenServer,
    place: {
      team: readSetting(REMOTE_SETTINGS.team, undefined, environment) as string | null,
      project: readSetting(REMOTE_SETTINGS.project, undefined, environment) as string | null,
      env: readSetting(REMOTE_SETTINGS.env, undefined, environment) as string | null,
    },
    contextsFile: join(configuration, "reeve", "contexts.json"),
    valuesFolder: join(cache, "reeve", "values"),
  };
}
