// `reeve firewall rules`: single rules of a project's configuration. A change is in force at once, or goes into the draft.
import { Option } from "commander";
import { ReeveError } from "../../client/error.ts";
import type { CommandSpec } from "../command.ts";
import { confirm } from "../confirm.ts";
import { Failure } from "../failure.ts";
import { readInput } from "../input.ts";
import { formatTable } from "../output.ts";
import { explainRemote } from "../remote-failure.ts";
import type { Remote, RemoteClient, RemoteFlags } from "../remote.ts";
import { linesOf } from "./print.ts";
import type { Item } from "./print.ts";

interface ProjectOptions {
  readonly team?: string;
  readonly project?: string;
}

interface ChangeOptions extends ProjectOptions {
  readonly draft?: true;
}

const PROJECT = [
  new Option("--team <team>", "id or slug of the team; without it, what the credential itself owns"),
  new Option("--project <project>", "the project; the project named default without this"),
];
const DRAFT = new Option("--draft", "change the draft, which `firewall activate draft` puts in force");
const COLUMNS = ["id", "name", "active", "action", "conditions"];

const queryOf = ({ project }: ProjectOptions) => (project === undefined ? {} : { projectId: project });

/** Sends one change. Resolves to the configuration after it. */
async function change(
  remote: Remote,
  flags: RemoteFlags,
  options: ChangeOptions,
  body: { readonly action: "rules.insert" | "rules.remove"; readonly id?: string; readonly value?: unknown },
  explain: (error: unknown, remote: RemoteClient) => unknown = explainRemote,
): Promise<Item> {
  const opened = await remote.open(flags, options.team);
  const query = queryOf(options);
  const call = options.draft
    ? opened.client.call("updateFirewallDraft", { params: { configVersion: "draft" }, query, body })
    : opened.client.call("updateFirewallConfig", { query, body });
  return await call.catch((error: unknown) => {
    throw explain(error, opened);
  });
}

interface Rule {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly conditionGroup: readonly { readonly conditions: readonly Item[] }[];
  readonly action: { readonly mitigate?: { readonly action?: string } };
}

function describe({ conditionGroup, action, ...rule }: Rule): Item {
  const groups = conditionGroup.map(({ conditions }) =>
    conditions
      .map(({ type, key, op, neg, value }) =>
        [type, key, neg === true ? "not" : undefined, op, JSON.stringify(value)]
          .filter((part) => typeof part === "string")
          .join(" "),
      )
      .join(" and "),
  );
  return { ...rule, action: action.mitigate?.action ?? "", conditions: groups.join(" or ") };
}

export const rulesListCommand: CommandSpec<ProjectOptions & { readonly version: string; readonly json?: true }> = {
  name: "list",
  summary: "list the rules of a project's firewall, in their order",
  needs: "server",
  examples: [
    "reeve firewall rules list --team acme --project shop",
    "reeve firewall rules list --team acme --version draft --json",
  ],
  options: [...PROJECT, new Option("--version <version>", "active, draft or a version's number").default("active")],
  async run({ reeve, remoteFlags, options, output }) {
    const opened = await reeve.remote.open(remoteFlags, options.team);
    const params = { configVersion: options.version };
    const found = await opened.client
      .call("getFirewallConfig", { params, query: queryOf(options) })
      .catch((error: unknown) => {
        throw explainRemote(error, opened);
      });
    const rules = (found.rules as unknown as readonly Rule[]).map(describe);
    if (options.json) output.result(found.rules, "");
    else if (process.stdout.isTTY) {
      const rows = rules.map((rule) => COLUMNS.map((name) => JSON.stringify(rule[name] ?? "").replace(/^"|"$/g, "")));
      output.line(formatTable(COLUMNS, rows));
    } else if (rules.length > 0) output.line(linesOf(rules, COLUMNS, {}));
  },
};

interface AddOptions extends ChangeOptions {
  readonly name?: string;
  readonly condition?: readonly string[];
  readonly action: string;
  readonly inactive?: true;
  readonly input?: string;
}

const CONDITION = /^(\w+)(?:\[([^\]]+)\])?\s+(not\s+)?(\w+)(?:\s+(.+))?$/s;

/** Members of a condition as the flag's help calls them. */
const NAMES: Readonly<Record<string, string>> = { op: "operator", neg: "not" };

function parseJson(value: string, text: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new Failure("usage", `--condition: expected JSON as a value that begins with ${value[0]}, got "${text}"`);
  }
}

/** `path pre /admin`, `header[x-api] not ex`, `ip_address inc ["192.0.2.1"]`: type, key, operator and value. */
function readCondition(text: string): Item {
  const [, type, key, negation, op, value] = CONDITION.exec(text.trim()) ?? [];
  if (type === undefined || op === undefined) {
    throw new Failure(
      "usage",
      `--condition: expected "<type> [not] <operator> <value>", such as "path pre /admin", got "${text}"`,
    );
  }
  const parsed = value === undefined ? {} : { value: /^[["{]/.test(value) ? parseJson(value, text) : value };
  return { type, ...(key !== undefined && { key }), ...(negation !== undefined && { neg: true }), op, ...parsed };
}

/** A refusal of one of the conditions, by the flag that gives it. */
function explainConditions(error: unknown, conditions: readonly string[], remote: RemoteClient): unknown {
  if (!(error instanceof ReeveError)) return error;
  const [, at, member = ""] = /\.conditions\[(\d+)\](?:\.(\w+))?/.exec(error.field) ?? [];
  const text = conditions[Number(at)];
  if (text === undefined || error.expected === "") return explainRemote(error, remote);
  return new Failure(
    "refused",
    `--condition "${text}"${member && `, ${NAMES[member] ?? member}`}: ${error.expected}`,
    error.code,
  );
}

async function readRule({ input, name, condition = [], action, inactive }: AddOptions): Promise<unknown> {
  if (input !== undefined) return await readInput("--input", input);
  if (name === undefined) throw new Failure("usage", "--name: expected a name (or the rule as JSON with --input)");
  if (condition.length === 0)
    throw new Failure("usage", '--condition: expected one at least, such as "path pre /admin"');
  const conditions = condition.map(readCondition);
  return { name, active: inactive !== true, conditionGroup: [{ conditions }], action: { mitigate: { action } } };
}

export const rulesAddCommand: CommandSpec<AddOptions> = {
  name: "add",
  summary: "add a rule behind the others",
  description:
    "Add a rule behind the others. It is in force at once; with --draft it waits in the draft. docs/firewall.md lists the types and operators of conditions.",
  needs: "server",
  examples: [
    "reeve firewall rules add --team acme --project shop --name 'No admin' --condition 'path pre /admin' --action deny",
    "reeve firewall rules add --team acme --project shop --name bots --condition 'user_agent sub bot' --condition 'path pre /shop' --action challenge --draft",
    "reeve firewall rules add --team acme --project shop --input rule.json",
  ],
  options: [
    ...PROJECT,
    DRAFT,
    new Option("--name <name>", "name of the rule, for people"),
    new Option(
      "--condition <condition>",
      '"<type> [not] <operator> <value>"; given again, all of them must hold',
    ).argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]),
    new Option("--action <action>", "what happens to a request that matches").default("deny"),
    new Option("--inactive", "store it without enforcing it"),
    new Option("--input <file>", "the whole rule as JSON instead; - reads the standard input"),
  ],
  async run({ reeve, remoteFlags, options, output }) {
    const value = await readRule(options);
    const { rules } = await change(
      reeve.remote,
      remoteFlags,
      options,
      { action: "rules.insert", value },
      (error, remote) => explainConditions(error, options.input === undefined ? (options.condition ?? []) : [], remote),
    );
    const added = (rules as readonly Rule[]).at(-1) as Rule;
    output.result(added, process.stdout.isTTY ? `Added the rule ${added.name} (${added.id}).` : added.id);
  },
};

export const rulesRemoveCommand: CommandSpec<ChangeOptions & { readonly yes?: true; readonly dryRun?: true }> = {
  name: "remove",
  summary: "remove a rule",
  needs: "server",
  examples: ["reeve firewall rules remove RULE_ID --team acme --project shop --dry-run"],
  arguments: [{ name: "<id>", help: "id of the rule, as `rules list` shows it" }],
  options: [
    ...PROJECT,
    DRAFT,
    new Option("--dry-run", "say what would be done, and do nothing"),
    new Option("--yes", "do not ask"),
  ],
  async run({ reeve, remoteFlags, options, args: [id = ""], output }) {
    if (options.dryRun) {
      const opened = await reeve.remote.open(remoteFlags, options.team);
      const params = { configVersion: options.draft ? ("draft" as const) : ("active" as const) };
      const { rules } = await opened.client
        .call("getFirewallConfig", { params, query: queryOf(options) })
        .catch((error: unknown) => {
          throw explainRemote(error, opened);
        });
      const rule = (rules as unknown as readonly Rule[]).find((one) => one.id === id);
      if (!rule) throw new Failure("refused", `there is no rule ${id}`, "not_found");
      output.result(rule, `Would remove the rule ${rule.name} (${id}).`);
      return;
    }
    await confirm(`Remove the rule ${id}?`, options.yes === true);
    await change(reeve.remote, remoteFlags, options, { action: "rules.remove", id });
    output.result({ id }, `Removed the rule ${id}.`);
  },
};
