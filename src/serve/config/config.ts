// Settings: the only reader of the environment. Each is an environment variable and a flag of every command; an
// unknown `REEVE_` name or a bad value stops the start with one line that says which and why.
import { nearestName } from "../../platform/kernel/text/nearest-name.ts";
import { GATE_SETTINGS, readGateSettings, requireTeams } from "./gate-settings.ts";
import type { GateFlags, GateSettings } from "./gate-settings.ts";
import type { OidcProvider } from "../../identity/providers/oidc-file.ts";
import { containerName, ownCommand } from "./own-command.ts";
import { REMOTE_SETTINGS, readRemoteSettings } from "./remote-settings.ts";
import type { RemoteSettings } from "./remote-settings.ts";
import { ConfigError, findSetting } from "../../platform/kernel/settings/setting-source.ts";
import type { FoundSetting, Setting, SettingValues } from "../../platform/kernel/settings/setting-source.ts";
import { SETTINGS } from "./settings.ts";
import { readTracingSettings } from "./tracing-settings.ts";
import type { TracingSettings } from "./tracing-settings.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

export interface Settings extends SettingValues<typeof SETTINGS> {
  /** From the standard variables of OpenTelemetry; null: tracing is off. */
  readonly tracing: TracingSettings | null;
  /** Where each comes from, and how it is written there. */
  readonly sources: Readonly<Record<SettingName, SettingSource>>;
}

export type SettingName = keyof typeof SETTINGS;

export type SettingSource = Omit<FoundSetting, "value">;

/** Values given on the command line, by setting. */
export type Flags = Readonly<Partial<Record<SettingName, string>>>;

// Variables of the test suite, which are no settings.
const TEST_PREFIX = "REEVE_TEST_";

const BY_NAME: Readonly<Record<SettingName, Setting<unknown>>> = SETTINGS;

/** A machine may have the settings of a server and those of commands that reach servers elsewhere. */
const LIST: readonly Setting<unknown>[] = [
  ...Object.values(BY_NAME),
  ...Object.values(REMOTE_SETTINGS),
  ...Object.values(GATE_SETTINGS),
];

/** Every variable that is read. */
export const VARIABLES: readonly string[] = LIST.flatMap(({ env, fileEnv = [] }) => [env].concat(fileEnv));

/** Variables that hold credentials or name files with them. */
const CREDENTIALS = new Set([
  ...LIST.flatMap(({ env, isSecret }) => (isSecret ? [env] : [])),
  ...VARIABLES.filter((name) => name.endsWith("_FILE")),
]);

/** What people write in place of `reeve` where they started this process. */
export function readOwnCommand(environment: NodeJS.ProcessEnv = currentProcess().env): string {
  const own = currentProcess();
  const [node = "", script = ""] = own.argv;
  return ownCommand({ script, node, cwd: own.cwd(), environment, container: containerName() });
}

/** The settings of a server and of commands that the environment gives. Who runs a command in a container has those already. */
export function readGiven(environment: NodeJS.ProcessEnv = currentProcess().env) {
  if (containerName() !== null) return [];
  const settings: readonly Setting<unknown>[] = [...Object.values(BY_NAME), ...Object.values(REMOTE_SETTINGS)];
  return settings.flatMap(({ env, fileEnv, flag, isSecret = false }) => {
    const name = flag ?? env.replace("REEVE_", "").toLowerCase().replaceAll("_", "-");
    const found = (variable: string | undefined, kind: { readonly hasFlag: boolean; readonly isSecret: boolean }) => {
      const text = variable && environment[variable];
      return text ? [{ name, variable, text, ...kind }] : [];
    };
    return [
      ...found(env, { hasFlag: flag !== null, isSecret }),
      ...found(fileEnv, { hasFlag: false, isSecret: false }),
    ];
  });
}

/** The environment for a program that Reeve starts: this one without Reeve's own credentials. */
export function environmentForPrograms(environment: NodeJS.ProcessEnv = currentProcess().env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !CREDENTIALS.has(name)));
}

/** Throws a ConfigError for a variable that no setting has. */
function refuseUnknown(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("REEVE_") || name.startsWith(TEST_PREFIX) || VARIABLES.includes(name)) continue;
    const nearest = nearestName(name, VARIABLES);
    const advice = nearest === undefined ? `the settings are ${VARIABLES.join(", ")}` : `did you mean ${nearest}?`;
    throw new ConfigError(`${name}: there is no such setting; ${advice}`);
  }
}

/** Settings of commands that reach a server elsewhere; throws a ConfigError for the first that is wrong. */
export function readRemote(
  flags: { readonly server?: string | undefined },
  environment: NodeJS.ProcessEnv = currentProcess().env,
): RemoteSettings {
  refuseUnknown(environment);
  return readRemoteSettings(flags, environment);
}

/** Settings of a gate; throws a ConfigError for the first that is wrong. */
export function readGate(flags: GateFlags = {}, environment: NodeJS.ProcessEnv = currentProcess().env): GateSettings {
  refuseUnknown(environment);
  return readGateSettings(flags, environment);
}

/** The same for a gate within a server. */
export function readLocalGate(): GateSettings {
  const settings = readGate();
  requireTeams(settings);
  return settings;
}

/** Settings that need others, with the reason. */
const NEEDS: readonly {
  readonly setting: SettingName;
  readonly isUsed: (settings: Settings) => boolean;
  readonly needs: readonly SettingName[];
  readonly reason: string;
}[] = [
  {
    setting: "signUp",
    isUsed: ({ signUp }) => signUp.kind !== "invitation",
    needs: ["smtpUrl", "publicUrl"],
    reason: "because who signs up confirms the e-mail address with a link",
  },
  {
    setting: "oidcFile",
    isUsed: ({ oidcFile }) => oidcFile !== null,
    needs: ["publicUrl"],
    reason: "because providers send people back there",
  },
];

function refuseIncomplete(settings: Settings): void {
  for (const { setting, isUsed, needs, reason } of NEEDS) {
    const missing = isUsed(settings) ? needs.filter((name) => settings[name] === null) : [];
    if (missing.length === 0) continue;
    const names = missing.map((name) => BY_NAME[name].env).join(" and ");
    throw new ConfigError(`${BY_NAME[setting].env}: expected ${names} beside it, ${reason}`);
  }
}

/** Settings from flags, then the environment, then the defaults; throws a ConfigError for the first that is wrong. */
export function readSettings(flags: Flags = {}, environment: NodeJS.ProcessEnv = currentProcess().env): Settings {
  refuseUnknown(environment);
  const found = Object.entries<Setting<unknown>>(BY_NAME).map(
    ([name, setting]) => [name, findSetting(setting, flags[name as SettingName], environment)] as const,
  );
  const settings = {
    ...(Object.fromEntries(found.map(([name, { value }]) => [name, value])) as SettingValues<typeof SETTINGS>),
    tracing: readTracingSettings(environment),
    sources: Object.fromEntries(found.map(([name, { text, from }]) => [name, { text, from }])) as Settings["sources"],
  };
  refuseIncomplete(settings);
  return settings;
}

/**
 * The OpenID Connect providers of the settings; throws a ConfigError that lists what is wrong with their file. YAML is loaded for
 * those who have such a file.
 */
export async function readProviders(
  { oidcFile }: Settings,
  environment: NodeJS.ProcessEnv = currentProcess().env,
): Promise<readonly OidcProvider[]> {
  return oidcFile === null
    ? []
    : (await import("../../identity/providers/oidc-file.ts")).readOidcFile(oidcFile, environment);
}

/** For a file that a setting names and that cannot be used: what `reeve doctor` says, and the log of a process that read it again. */
export const BAD_FILE_ADVICE = "mend the file: no process starts with it";

/** A URL as the file says now that its setting names; null where the URL comes from elsewhere. Throws a ConfigError. */
export function rereadUrl(
  { sources }: Settings,
  name: "databaseUrl" | "smtpUrl",
  environment: NodeJS.ProcessEnv = currentProcess().env,
): string | null {
  if (sources[name].from !== "file") return null;
  return findSetting(BY_NAME[name], undefined, environment).value as string | null;
}
