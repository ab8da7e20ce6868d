// `reeve firewall rules update|enable|disable|move`: changes of a rule that is there. Each is sent only if nobody has changed the rules since
// they were read.
import { Option } from "commander";
import type { CommandRun, CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { readInput } from "../bodies/input.ts";
import {
  DRAFT,
  FIELDS,
  PROJECT,
  RULE,
  chosen,
  fieldsOf,
  findRule,
  openRule,
  printChanged,
  sendChange,
} from "./rule-change.ts";
import type { ChangeOptions, Opened, Rule } from "./rule-change.ts";

/** Replaces members of a rule. The API takes a rule as a whole. */
async function replaceMembers<O extends ChangeOptions>(
  run: CommandRun<O>,
  membersFor: (rule: Rule) => object,
  verb: string,
): Promise<void> {
  const { options, output } = run;
  const fields = fieldsOf(options);
  const { remote, read, rule }: Opened = await openRule(run);
  const { id } = rule;
  const body = { action: "rules.update", id, value: { ...rule, ...membersFor(rule) } } as const;
  const after = findRule(await sendChange(remote, options, body, read), id, RULE.name);
  printChanged(output, after, fields, `${verb} the rule ${after.name} (${id}).`);
}

export const rulesUpdateCommand: CommandSpec<ChangeOptions & { readonly input?: string }> = {
  name: "update",
  summary: "replace members of a rule",
  description:
    "Replace the members of a rule that the JSON has, such as its name, its conditions or its action. The others stay. It is in force at " +
    "once; with --draft it waits in the draft.",
  needs: "server",
  changes: true,
  fields: FIELDS,
  examples: [
    "reeve firewall rules update RULE_ID --team acme --project shop --input members.json",
    `echo '{"action":{"mitigate":{"action":"log"}}}' | reeve firewall rules update 'No admin' --team acme --project shop --input -`,
  ],
  arguments: [RULE],
  options: [
    ...PROJECT,
    DRAFT,
    new Option("--input <file>", "the members to replace as JSON; - reads the standard input (required)"),
  ],
  async run(run) {
    const { input } = run.options;
    if (input === undefined) throw new Failure("usage", "--input: expected a file with members of the rule as JSON");
    const given: { readonly id?: unknown } = await readInput("--input", input);
    if (Array.isArray(given)) throw new Failure("usage", "--input: expected a JSON object with members of the rule");
    await replaceMembers(
      run,
      ({ id }) => {
        if (given.id === undefined || given.id === id) return given;
        throw new Failure("usage", `--input: id: expected ${id}, that of the rule, or none`);
      },
      "Changed",
    );
  },
};

function switchCommand(name: string, isActive: boolean, verb: string, summary: string): CommandSpec<ChangeOptions> {
  return {
    name,
    summary,
    needs: "server",
    changes: true,
    fields: FIELDS,
    examples: [
      `reeve firewall rules ${name} RULE_ID --team acme --project shop`,
      `reeve firewall rules ${name} 'No admin' --team acme --project shop --draft`,
    ],
    arguments: [RULE],
    options: [...PROJECT, DRAFT],
    run: async (run) => await replaceMembers(run, () => ({ active: isActive }), verb),
  };
}

export const rulesEnableCommand = switchCommand("enable", true, "Enabled", "enforce a rule");
export const rulesDisableCommand = switchCommand("disable", false, "Disabled", "keep a rule without enforcing it");

interface MoveOptions extends ChangeOptions {
  readonly before?: string;
  readonly after?: string;
  readonly first?: true;
  readonly last?: true;
}

/** Where the rule stands afterwards, counted from 0. */
function targetOf({ before, after, first }: MoveOptions, rules: readonly Rule[], rule: Rule): number {
  const others = rules.filter(({ id }) => id !== rule.id);
  const given = before ?? after;
  if (given === undefined) return first ? 0 : others.length;
  const by = before === undefined ? "--after" : "--before";
  const neighbour = findRule(rules, given, by);
  if (neighbour.id === rule.id) throw new Failure("usage", `${by}: expected another rule than the one that moves`);
  return others.indexOf(neighbour) + (before === undefined ? 1 : 0);
}

export const rulesMoveCommand: CommandSpec<MoveOptions> = {
  name: "move",
  summary: "move a rule to another place in their order",
  needs: "server",
  changes: true,
  fields: FIELDS,
  examples: [
    "reeve firewall rules move RULE_ID --first --team acme --project shop",
    "reeve firewall rules move 'No admin' --before bots --team acme --project shop",
  ],
  arguments: [RULE],
  options: [
    ...PROJECT,
    DRAFT,
    new Option("--before <rule>", "before this rule").conflicts(["after", "first", "last"]),
    new Option("--after <rule>", "behind this rule").conflicts(["first", "last"]),
    new Option("--first", "before all others").conflicts("last"),
    new Option("--last", "behind all others"),
  ],
  async run(run) {
    const { options, output } = run;
    const { before, after, first, last } = options;
    if ([before, after, first, last].every((one) => one === undefined)) {
      throw new Failure("usage", "expected one of --before <rule>, --after <rule>, --first and --last");
    }
    const fields = fieldsOf(options);
    const { remote, read, rule } = await openRule(run);
    const { id, name } = rule;
    const body = { action: "rules.priority", id, value: targetOf(options, read.rules, rule) } as const;
    const rules = await sendChange(remote, options, body, read);
    const moved = findRule(rules, id, RULE.name);
    output.result(
      chosen(moved, fields),
      `Moved the rule ${name} (${id}): it is number ${rules.indexOf(moved) + 1} of ${rules.length}.`,
    );
  },
};
