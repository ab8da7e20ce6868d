// Trying requests on a configuration: reads what the call names, and changes nothing.
import { isDeepStrictEqual } from "node:util";
import { costOf } from "../../evaluator/cost.ts";
import { DECISIONS } from "../../evaluator/decision.ts";
import type { Surroundings } from "../../evaluator/facts.ts";
import type { Call, Implements } from "../../kernel/contract.ts";
import { fieldError } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import { readAttackMode } from "../attack-mode/state.ts";
import { listActiveBypasses } from "../bypasses/list.ts";
import { projectKeyOf } from "../projects/project-schema.ts";
import type { ProjectKey } from "../projects/project-schema.ts";
import { MAX_REQUEST_WORK, MAX_SHOWN_PARTS, MAX_WORK } from "./evaluate-contract.ts";
import type { evaluateContract } from "./evaluate-contract.ts";
import { prepareEvaluation } from "./evaluation.ts";
import type { Outcome, TriedRequest } from "./evaluation.ts";
import type { Content } from "./content-rules.ts";
import { readNamed } from "./named.ts";
import type { NamedConfig } from "./named.ts";

type EvaluateCall = Call<typeof evaluateContract.evaluateFirewallConfig>;

function refuse(field: string, message: string): never {
  throw fieldError("bad_request", field, message);
}

/** The requests with the time of each, which never goes back. */
function readRequests({ body, now }: EvaluateCall, trace: boolean): readonly TriedRequest[] {
  let last: number | null = null;
  return body.requests.map(({ at, ...facts }, index) => {
    if (last !== null && at !== undefined && at < last) {
      refuse(`body.requests[${index}].at`, `expected no time before ${last}, that of the request before`);
    }
    last = at ?? last ?? now;
    return { facts, at: last, trace };
  });
}

/** What every request costs beside the configuration's rules, managed sets above all. */
const BASE_COST = 100;

/** How many steps a trace can have, and conditions in them. */
function countParts({ rules, ips, crs, managedRules = {} }: Content): number {
  const sets = [...Object.values(crs), ...Object.values(managedRules)].filter(({ active }) => active);
  let parts = rules.length + ips.length + sets.length;
  for (const { conditionGroup } of rules) for (const { conditions } of conditionGroup) parts += conditions.length;
  return parts;
}

/** Refuses a trace of several requests that would make the answer long; that of one is shown whatever it is. */
function requireShort({ body: { requests } }: EvaluateCall, { content }: NamedConfig): void {
  const parts = countParts(content);
  const most = Math.max(1, Math.floor(MAX_SHOWN_PARTS / Math.max(1, parts)));
  if (requests.length > most) {
    const each = `${parts} steps and conditions each`;
    refuse("body.requests", `expected at most ${most} with a trace of ${each}, got ${requests.length}`);
  }
}

/** Refuses what would take long: this runs on the thread that serves all others. */
function requireBearable({ body }: EvaluateCall, configs: readonly NamedConfig[]): void {
  const { requests } = body;
  const costs = configs.map(({ content }) => BASE_COST + costOf(content));
  const cost = costs.reduce((total, one) => total + one, 0);
  const mostKib = Math.max(1, Math.floor(MAX_REQUEST_WORK / Math.max(...costs)));
  let sum = 0;
  for (const [index, facts] of requests.entries()) {
    const kib = 1 + Math.floor(JSON.stringify(facts).length / 1_024);
    if (kib > mostKib)
      refuse(`body.requests[${index}]`, `expected at most ${mostKib} KiB at a cost of ${Math.max(...costs)}`);
    sum += kib * cost;
  }
  if (sum > MAX_WORK) refuse("body.requests", `expected at most ${MAX_WORK} for cost times KiB, got ${sum}: try fewer`);
}

async function readSurroundings(tx: Tx, call: EvaluateCall, { ownerId, projectId }: ProjectKey): Promise<Surroundings> {
  const { attackMode, bypasses } = call.body;
  return {
    isAttackMode: attackMode ?? (await readAttackMode(tx, ownerId, projectId, call.now)).isEnabled,
    bypasses:
      bypasses?.map(({ domain = null, ip = null }) => ({ domain, ip })) ??
      (await listActiveBypasses(tx, ownerId, projectId, call.now)),
  };
}

function summarise(outcomes: readonly Outcome[]): Record<string, number> {
  const summary: Record<string, number> = Object.fromEntries(DECISIONS.map((action) => [action, 0]));
  for (const { decision } of outcomes) summary[decision.action] = (summary[decision.action] as number) + 1;
  return summary;
}

function differencesOf(before: readonly Outcome[], after: readonly Outcome[]) {
  return after.flatMap(({ decision }, index) => {
    const { decision: other } = before[index] as Outcome;
    return isDeepStrictEqual(other, decision) ? [] : [{ index, before: other, after: decision }];
  });
}

export const evaluateService: Implements<typeof evaluateContract> = {
  async evaluateFirewallConfig(tx, call) {
    const { params, body } = call;
    const project = projectKeyOf(call);
    const trace = body.trace ?? body.requests.length === 1;
    const requests = readRequests(call, trace);
    // Everything is read before the first request is tried: that gives way to other calls in between.
    const config = await readNamed(tx, project, params.configVersion);
    const other = body.compareWith === undefined ? null : await readNamed(tx, project, String(body.compareWith));
    const surroundings = await readSurroundings(tx, call, project);
    requireBearable(call, other ? [config, other] : [config]);
    if (trace) requireShort(call, config);
    const results = await prepareEvaluation(project.ownerId, config.content, surroundings)(requests);
    const untraced = requests.map((request) => ({ ...request, trace: false }));
    const before = other && (await prepareEvaluation(project.ownerId, other.content, surroundings)(untraced));
    return {
      version: config.version,
      results,
      ...(other && before && { comparedWith: other.version, differences: differencesOf(before, results) }),
      summary: summarise(results),
    };
  },
};
