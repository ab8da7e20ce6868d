// What fits at the end of a command line: commands, flags, their values, and names from the server. One to a line, with a
// description behind a tab. Whatever goes wrong completes nothing: a shell has no place for an error here.
import type { Command } from "commander";
import type { OperationId } from "../client/types.ts";
import { buildCommand, openServer, readPlace } from "./command.ts";
import { readRemote } from "../serve/config/config.ts";
import type { CommandHooks } from "./command.ts";
import { ALL_ENTRIES, findEntry } from "./entries.ts";
import { ListOption } from "./list-option.ts";
import { printTabbed } from "./output.ts";
import { anyCalls } from "./resources/call-input.ts";

/** A person waits for it, and no list of names to choose from is this long. */
const TIMEOUT_MS = 2_000;
const MAX_NAMES = 1_000;

interface Source {
  readonly operation: OperationId;
  /** Of a list without pages: its member with the items. */
  readonly whole?: string;
  /** The member of an item to complete, and the one that describes it. */
  readonly name: string;
  readonly about: string;
  /** Parameters of the path, by the flag or argument that gives them. */
  readonly params?: Readonly<Record<string, string>>;
  /** Parameters of the path that are always the same. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Members of the query, by the flag that gives them. */
  readonly query?: Readonly<Record<string, string>>;
}

const ENVIRONMENTS: Source = {
  operation: "listEnvironments",
  whole: "environments",
  name: "name",
  about: "inheritsFrom",
  params: { project: "project" },
};
const EVENT_TYPES: Source = {
  operation: "listEventTypes",
  whole: "types",
  name: "name",
  about: "description",
};
const RULES: Source = {
  operation: "getFirewallConfig",
  whole: "rules",
  name: "id",
  about: "name",
  fixed: { configVersion: "active" },
  query: { projectId: "project" },
};
const OF_TEAM = { teamId: "team" };

/**
 * Where the names of an argument or a flag's value come from, by the name in the help, or by the command and that name where another
 * command means something else by it.
 */
const SOURCES: Readonly<Record<string, Source>> = {
  team: { operation: "listTeams", name: "slug", about: "name" },
  project: { operation: "listProjects", name: "name", about: "" },
  env: ENVIRONMENTS,
  environment: ENVIRONMENTS,
  "inherits-from": ENVIRONMENTS,
  "environments version": {
    operation: "listEnvironmentVersions",
    name: "version",
    about: "note",
    params: { project: "project", environment: "environment" },
  },
  "events type": EVENT_TYPES,
  "events types": EVENT_TYPES,
  "firewall rule": RULES,
  "firewall before": RULES,
  "firewall after": RULES,
  "secrets name": { operation: "listSecrets", name: "name", about: "uid" },
  uid: { operation: "listTeamMembers", name: "uid", about: "username", params: OF_TEAM },
  "invite-code": { operation: "listInvites", name: "id", about: "email", params: OF_TEAM },
  "invite-id": { operation: "listInvites", name: "id", about: "email", params: OF_TEAM },
  "webhook-id": { operation: "listWebhooks", name: "id", about: "url" },
  "key-id": { operation: "listApiKeys", name: "id", about: "name" },
  "token-id": { operation: "listTokens", name: "id", about: "name" },
  "trust-id": { operation: "listIdentityTrusts", name: "id", about: "name" },
};
const FIXED: Readonly<Record<string, readonly string[]>> = {
  "config-version": ["active", "draft"],
  shell: ["bash", "zsh", "fish"],
  method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
};

/** Nothing of a command that is built for its names is printed. */
const UNPRINTED: CommandHooks = {
  end: () => undefined,
  complain: () => undefined,
  invocation: { command: "reeve", flags: {} },
};

type Candidate = readonly [word: string, about: string];

interface Line {
  readonly command: Command;
  /** How many arguments have been given. */
  readonly given: number;
  /** What flags and arguments have been given, by the names in the help. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The flag whose value comes next. */
  readonly open: string | null;
  /** Behind `--`: the command line of a program. */
  readonly isOther: boolean;
}

/** The flag may stand without a value, as `--json` does. */
function isOptional(command: Command, name: string): boolean {
  return command.options.some(({ long, optional }) => long === `--${name}` && optional);
}

/** Walks the words before the last one. */
function read(root: Command, words: readonly string[]): Line {
  let command = root;
  let given = 0;
  let open: string | null = null;
  const values: Record<string, string> = {};
  for (const word of words) {
    if (word === "--") return { command, given, values, open, isOther: true };
    // bash makes words of `--flag=value`.
    if (word === "=" && open !== null) continue;
    if (open !== null && !(word.startsWith("-") && isOptional(command, open))) {
      values[open] = word;
      open = null;
      continue;
    }
    const [flag = "", ...assigned] = word.split("=");
    const option = command.options.find(({ long, short }) => long === flag || short === flag);
    if (option) {
      const name = option.long?.slice(2) ?? "";
      if (assigned.length > 0) values[name] = assigned.join("=");
      else open = option.required || option.optional ? name : null;
    } else if (!word.startsWith("-")) {
      const below = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (below) command = below;
      else values[command.registeredArguments[given++]?.name() ?? ""] = word;
    }
  }
  return { command, given, values, open, isOther: false };
}

type Item = Readonly<Record<string, unknown>>;

async function fromServer(line: Line, source: Source): Promise<Candidate[]> {
  const place = Object.entries(await readPlace(true).catch(() => ({})));
  const values: Line["values"] = {
    ...Object.fromEntries(place.map(([name, { value }]) => [name, value])),
    ...line.values,
  };
  const { operation, whole, name, about, params = {}, fixed = {}, query = {} } = source;
  const { client } = await openServer({ server: values["server"], context: values["context"] }, values["team"]);
  const calls = anyCalls(client);
  const given = Object.entries(query).flatMap(([member, from]) =>
    values[from] === undefined ? [] : [[member, values[from]]],
  );
  const input = {
    params: {
      ...fixed,
      ...Object.fromEntries(Object.entries(params).map(([param, from]) => [param, values[from] ?? ""])),
    },
    query: { ...(whole === undefined ? { limit: 100 } : {}), ...Object.fromEntries(given) },
  };
  const options = { timeoutMs: TIMEOUT_MS, retries: 0 };
  const candidateOf = (item: Item): Candidate => [String(item[name]), (item[about] ?? "") as string];
  if (whole !== undefined) {
    const { [whole]: items } = (await calls.call(operation, input, options)) as Readonly<
      Record<string, readonly Item[]>
    >;
    return (items ?? []).map(candidateOf);
  }
  const found: Candidate[] = [];
  const end = performance.now() + TIMEOUT_MS;
  for await (const item of calls.items(operation, input, options)) {
    found.push(candidateOf(item as Item));
    if (found.length >= MAX_NAMES || performance.now() > end) break;
  }
  return found;
}

async function named(entry: string, line: Line, name: string): Promise<Candidate[]> {
  if (name === "context") {
    const { listContexts } = await import("./bodies/remote/context-commands.ts");
    const { contexts } = await listContexts(readRemote({}));
    return contexts.map((context) => [context.name, context.server]);
  }
  if (Object.hasOwn(FIXED, name)) return (FIXED[name] ?? []).map((word) => [word, ""]);
  const key = [`${entry} ${name}`, name].find((one) => Object.hasOwn(SOURCES, one));
  const source = key === undefined ? undefined : SOURCES[key];
  return source ? await fromServer(line, source).catch(() => []) : [];
}

/** `(OWNER, MEMBER)` at the end of a flag's help are its values. */
function choicesIn(help: string): readonly string[] {
  const list = /\(([\w:.-]+(?:, [\w:.-]+)+)\)/.exec(help)?.[1];
  return list === undefined ? [] : list.split(", ");
}

async function candidates(root: Command, before: readonly string[], word: string): Promise<Candidate[]> {
  const line = read(root, before);
  const { command, open, given } = line;
  if (line.isOther) return [];
  if (open !== null && !(word.startsWith("-") && isOptional(command, open))) {
    const option = command.options.find(({ long }) => long === `--${open}`);
    const words = option instanceof ListOption ? option.words : [];
    const choices = words.length > 0 ? words : (option?.argChoices ?? choicesIn(option?.description ?? ""));
    const found: readonly Candidate[] =
      choices.length > 0 ? choices.map((one) => [one, ""]) : await named(root.name(), line, open);
    // Of words separated by commas the last one is completed.
    const whole = word.slice(0, word.lastIndexOf(",") + 1);
    return found.map(([one, about]) => [whole + one, about]);
  }
  if (word.startsWith("-")) {
    return command.options.filter(({ hidden }) => !hidden).map(({ long, description }) => [long ?? "", description]);
  }
  const below = command.commands.map((one): Candidate => [one.name(), one.summary() || one.description()]);
  const argument = command.registeredArguments[given];
  return argument === undefined ? below : [...below, ...(await named(root.name(), line, argument.name()))];
}

/** Prints what can stand for the last word. */
export async function complete(words: readonly string[]): Promise<number> {
  const last = words.at(-1) ?? "";
  // zsh and fish leave `--flag=value` one word.
  const [, flag, value] = /^(--[\w-]+)=(.*)$/.exec(last) ?? [];
  const before = [...words.slice(0, -1), ...(flag === undefined ? [] : [flag])];
  const word = last === "=" ? "" : (value ?? last);
  try {
    const at = before.findIndex((one) => !one.startsWith("-"));
    const entry = findEntry(before[at] ?? "");
    const found = entry
      ? await candidates(buildCommand(await entry.load(), UNPRINTED), before.slice(at + 1), word)
      : ALL_ENTRIES.map(({ name, summary }): Candidate => [name, summary]);
    const prefix = flag === undefined ? "" : `${flag}=`;
    const lines = found
      .filter(([one]) => one.startsWith(word))
      .map(([one, about]) => `${prefix}${one}\t${about.replace(/\s+/g, " ").slice(0, 80)}\n`);
    printTabbed(lines.join(""));
  } catch {
    // As above: nothing fits.
  }
  return 0;
}
