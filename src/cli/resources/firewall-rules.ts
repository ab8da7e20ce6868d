// `reeve firewall rules`: single rules of a project's configuration. A change is in force at once, or goes into the draft.
import { Option } from "commander";
import { ReeveError } from "../../client/error.ts";
import type { CommandSpec } from "../command.ts";
import { confirm } from "../confirm.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { readInput } from "../bodies/input.ts";
import { formatTable } from "../output.ts";
import { explainRemote } from "../bodies/remote/remote-failure.ts";
import type { RemoteClient } from "../bodies/remote/open-client.ts";
import { linesOf } from "./print.ts";
import type { Item } from "./print.ts";
import {
  DRAFT,
  FIELDS,
  PROJECT,
  RULE,
  chosen,
  fieldsOf,
  openProject,
  openRule,
  printChanged,
  queryOf,
  sendChange,
} from "./rule-change.ts";
import type { ChangeOptions, ProjectOptions, Rule } from "./rule-change.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

const COLUMNS = ["id", "name", "active", "action", "conditions"];

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

export const rulesListCommand: CommandSpec<ProjectOptions & { readonly version: string }> = {
  name: "list",
  summary: "list the rules of a project's firewall, in their order",
  needs: "server",
  fields: FIELDS,
  examples: [
    "reeve firewall rules list --team acme --project shop",
    "reeve firewall rules list --team acme --version draft --json id,name",
  ],
  options: [...PROJECT, new Option("--version <version>", "active, draft or a version's number").default("active")],
  async run(run) {
    const { options, output } = run;
    const fields = fieldsOf(options);
    const opened = await openProject(run, false);
    const params = { configVersion: options.version };
    const found = await opened.client
      .call("getFirewallConfig", { params, query: queryOf(options) })
      .catch((error: unknown) => {
        throw explainRemote(error, opened);
      });
    const stored = found.rules as unknown as readonly Rule[];
    if (fields !== null) {
      const picked = stored.map((rule) => chosen(rule, fields));
      output.result(picked, "");
      return;
    }
    const rules = stored.map(describe);
    if (currentProcess().stdout.isTTY) {
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
  const problem = /: (expected .*)$/.exec(error.message)?.[1];
  if (text === undefined || problem === undefined) return explainRemote(error, remote);
  const by = `--condition "${text}"${member && `, ${NAMES[member] ?? member}`}`;
  return new Failure("refused", `${by}: ${problem}`, error.code);
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
    "Add a rule behind the others. It is in force at once; with --draft it waits in the draft. /docs/firewall of the server lists the types and operators of conditions.",
  needs: "server",
  changes: true,
  fields: FIELDS,
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
  async run(run) {
    const { options, output } = run;
    const fields = fieldsOf(options);
    const value = await readRule(options);
    const opened = await openProject(run, true);
    const conditions = options.input === undefined ? (options.condition ?? []) : [];
    const rules = await sendChange(opened, options, { action: "rules.insert", value }, {}, (error, remote) =>
      explainConditions(error, conditions, remote),
    );
    const added = rules.at(-1) as Rule;
    const text = currentProcess().stdout.isTTY ? `Added the rule ${added.name} (${added.id}).` : added.id;
    printChanged(output, added, fields, text);
  },
};

export const rulesRemoveCommand: CommandSpec<ChangeOptions & { readonly yes?: true; readonly dryRun?: true }> = {
  name: "remove",
  summary: "remove a rule",
  needs: "server",
  changes: true,
  fields: FIELDS,
  examples: ["reeve firewall rules remove RULE_ID --team acme --project shop --dry-run"],
  arguments: [RULE],
  options: [
    ...PROJECT,
    DRAFT,
    new Option("--dry-run", "say what would be done, and do nothing"),
    new Option("--yes", "do not ask"),
  ],
  async run(run) {
    const { options, output } = run;
    const fields = fieldsOf(options);
    const { remote, read, rule } = await openRule(run);
    const which = `the rule ${rule.name} (${rule.id})`;
    if (!options.dryRun) {
      await confirm(`Remove ${which}?`, options.yes === true);
      await sendChange(remote, options, { action: "rules.remove", id: rule.id }, read);
    }
    output.result(chosen(rule, fields), `${options.dryRun ? "Would remove" : "Removed"} ${which}.`);
  },
};
