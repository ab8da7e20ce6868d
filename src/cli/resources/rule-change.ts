// What the commands of single rules have in common: how they find a rule, change it and print it.
import { Option } from "commander";
import { ReeveError } from "../../client/error.ts";
import type { CommandRun } from "../command.ts";
import type { Output } from "../output.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { announceNewProject, requireProject } from "../bodies/remote/place-failure.ts";
import { PlaceOption, teamOption } from "../place-options.ts";
import { explainRemote } from "../bodies/remote/remote-failure.ts";
import type { RemoteClient } from "../bodies/remote/open-client.ts";
import { membersOf } from "./fields.ts";
import { endpointOf } from "./operation-command.ts";
import { chooseFields, pick } from "./print.ts";
import type { Item } from "./print.ts";

export interface ProjectOptions {
  readonly team?: string;
  readonly project?: string;
  readonly json?: string;
}

export interface ChangeOptions extends ProjectOptions {
  readonly draft?: true;
}

export const PROJECT = [teamOption(), new PlaceOption("project", "the project; the project named default without one")];
export const DRAFT = new Option("--draft", "change the draft, which `reeve firewall activate draft` puts in force");
export const RULE = {
  name: "<rule>",
  help: "id of the rule, as `rules list` shows it, or its name if no other has it",
};

export interface Rule {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  readonly conditionGroup: readonly { readonly conditions: readonly Item[] }[];
  readonly action: { readonly mitigate?: { readonly action?: string } };
  readonly validationErrors?: readonly string[] | null;
}

/** Prints a changed rule, and what it does otherwise than it may seem. */
export function printChanged(output: Output, rule: Rule, fields: readonly string[] | null, text: string): void {
  output.result(chosen(rule, fields), text);
  for (const doubt of rule.validationErrors ?? []) output.note(`Look at the rule ${rule.name} again: ${doubt}`);
}

const { response } = endpointOf("getFirewallConfig") as unknown as {
  readonly response: { readonly properties: { readonly rules: { readonly items: unknown } } };
};
const MEMBERS = membersOf(response.properties.rules.items);
/** What `--json` can choose of a rule. */
export const FIELDS = Object.keys(MEMBERS);

/** The chosen fields of `--json`; null: it is not given. What is wrong with it is said before a server is asked. */
export function fieldsOf({ json }: ProjectOptions): readonly string[] | null {
  return json === undefined ? null : chooseFields(json, MEMBERS);
}

/** A rule with the fields of `--json`. */
export function chosen(rule: Rule, fields: readonly string[] | null): Item {
  return pick(rule as unknown as Item, fields ?? FIELDS);
}

export const queryOf = ({ project }: ProjectOptions) => (project === undefined ? {} : { projectId: project });

/** Rules, with what a change of them requires: that nobody has changed them since. */
export interface ReadRules {
  readonly rules: readonly Rule[];
  readonly ifMatch?: string | null;
  readonly ifNoneMatch?: "*" | null;
  readonly expectedVersion?: number;
}

/** The rules that a change is about: those of the draft, if there is one. */
async function readRules({ client }: RemoteClient, options: ChangeOptions): Promise<ReadRules> {
  const query = queryOf(options);
  const isNone = (error: unknown) => {
    if (error instanceof ReeveError && error.code === "not_found" && error.message.startsWith("Firewall ")) return null;
    throw error;
  };
  const draft = options.draft
    ? await client.answer("getFirewallConfig", { params: { configVersion: "draft" }, query }).catch(isNone)
    : null;
  if (draft) return { rules: draft.value.rules as unknown as readonly Rule[], ifMatch: draft.etag };
  // The change begins the draft.
  const absent = options.draft ? ({ ifNoneMatch: "*" } as const) : {};
  const active = await client.call("getFirewallConfig", { params: { configVersion: "active" }, query }).catch(isNone);
  if (!active) return { ...absent, rules: [] };
  return { ...absent, rules: active.rules as unknown as readonly Rule[], expectedVersion: active.version };
}

/** The rule with an id, or else with a name. */
export function findRule(rules: readonly Rule[], given: string, by: string): Rule {
  const found = rules.filter(({ id }) => id === given);
  const [rule, ...others] = found.length > 0 ? found : rules.filter(({ name }) => name === given);
  if (!rule) {
    const problem = `there is no rule ${JSON.stringify(given)} (${by}): \`reeve firewall rules list\` shows them`;
    throw new Failure("absent", problem, "not_found");
  }
  if (others.length === 0) return rule;
  const ids = [rule, ...others].map(({ id }) => id).join(", ");
  throw new Failure("usage", `${by}: expected an id, because several rules are named ${JSON.stringify(given)}: ${ids}`);
}

interface Body {
  readonly action: "rules.insert" | "rules.update" | "rules.remove" | "rules.priority";
  readonly id?: string;
  readonly value?: unknown;
}

export type Explain = (error: unknown, remote: RemoteClient) => unknown;

function explainChange(error: unknown, remote: RemoteClient, explain: Explain): unknown {
  if (!(error instanceof ReeveError) || !["version_conflict", "revision_mismatch"].includes(error.code)) {
    return explain(error, remote);
  }
  const problem = "somebody has changed the firewall meanwhile, and nothing was done: run the command again";
  return new Failure("conflict", problem, error.code);
}

/** Sends one change, and resolves to the rules after it. */
export async function sendChange(
  remote: RemoteClient,
  options: ChangeOptions,
  body: Body,
  { ifMatch = null, ifNoneMatch = null, expectedVersion }: Partial<ReadRules> = {},
  explain: Explain = explainRemote,
): Promise<readonly Rule[]> {
  const query = queryOf(options);
  const sent = { ...body, ...(expectedVersion !== undefined && { expectedVersion }) };
  const call = options.draft
    ? remote.client.call("updateFirewallDraft", {
        params: { configVersion: "draft" },
        query,
        body: sent,
        ifMatch,
        ifNoneMatch,
      })
    : remote.client.call("updateFirewallConfig", { query, body: sent });
  const { rules } = await call.catch((error: unknown) => {
    throw explainChange(error, remote, explain);
  });
  return rules;
}

/** A server's rules, and the one that the command line names. */
export interface Opened {
  readonly remote: RemoteClient;
  readonly read: ReadRules;
  readonly rule: Rule;
}

/** Opens the server; where `begins` is false, the project has to be there. */
export async function openProject<O extends ProjectOptions>(
  { open, options: { team, project }, output }: CommandRun<O>,
  begins: boolean,
): Promise<RemoteClient> {
  const remote = await open(team);
  if (project === undefined) return remote;
  const place = { team: team ?? null, project };
  if (begins) await announceNewProject(remote, place, output.note);
  else await requireProject(remote, place);
  return remote;
}

export async function openRule<O extends ChangeOptions>(run: CommandRun<O>): Promise<Opened> {
  const {
    options,
    args: [given = ""],
  } = run;
  const remote = await openProject(run, false);
  const read = await readRules(remote, options).catch((error: unknown) => {
    throw explainRemote(error, remote);
  });
  return { remote, read, rule: findRule(read.rules, given, RULE.name) };
}
