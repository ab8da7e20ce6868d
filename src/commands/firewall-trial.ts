// `reeve firewall test`: tries requests on a configuration that is given, checked as if it were to be stored.
import type { FirewallTrial, FirewallVerdict, InputFault } from "../cli/commands/firewall-trial.ts";
import { FaultyInputError } from "../cli/commands/firewall-trial.ts";
import type { RequestAttributes } from "../evaluator/request/attributes.ts";
import { compileCheck } from "../operations/validation.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Instance } from "../kernel/contract.ts";
import { ApiError } from "../kernel/errors.ts";
import { Type } from "typebox";
import { readWanted } from "../resources/firewall/config-rules.ts";
import { EMPTY, replaceContent } from "../resources/firewall/content-rules.ts";
import type { Content } from "../resources/firewall/content-rules.ts";
import { BypassInput } from "../resources/firewall/evaluation/evaluate-contract.ts";
import { prepareEvaluation } from "../resources/firewall/evaluation/evaluation.ts";
import type { TriedRequest } from "../resources/firewall/evaluation/evaluation.ts";
import { RequestAttributes as RequestFactsSchema } from "../resources/firewall/evaluation/attributes-schema.ts";
import { readAll } from "../resources/firewall/reading-rules.ts";
import { requireCost } from "../resources/firewall/versions.ts";

const checkAttackMode = compileCheck("attackMode", Type.Boolean(), "bad_request");
const checkBypasses = compileCheck("bypasses", Type.Array(BypassInput), "bad_request");
const checkFacts = compileCheck("request", RequestFactsSchema, "bad_request");

/** Runs a check that refuses as HTTP would; what it says is noted with the field it names. */
function note(faults: InputFault[], field: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { errors, field: named = field } = error.details as { errors?: readonly InputFault[]; field?: string };
    faults.push(...(errors ?? [{ field: named, message: error.message.replace(`${named}: `, "") }]));
  }
}

function readContent(configuration: unknown, instance: Instance): Content {
  const wanted = readAll(readWanted, configuration, "configuration", instance.firewallCostLimit);
  const content = replaceContent(wanted, EMPTY, { updatedAt: "", username: "" });
  requireCost(content, instance);
  return content;
}

function* repeated(facts: RequestAttributes, times: number, at: number): Generator<TriedRequest> {
  for (let left = times; left > 0; left--) yield { facts, at, trace: left === 1 };
}

/** Throws a `FaultyInputError` that names all that is wrong. */
export function tryFirewall(trial: FirewallTrial, instance: Instance, clock: Clock): readonly FirewallVerdict[] {
  const { configuration, attackMode, bypasses, requests } = trial;
  const faults: InputFault[] = [];
  const now = clock();
  let content = EMPTY;
  note(faults, "configuration", () => {
    content = readContent(configuration, instance);
  });
  note(faults, "attackMode", () => checkAttackMode(attackMode));
  note(faults, "bypasses", () => checkBypasses(bypasses));
  for (const [index, { facts }] of requests.entries()) {
    const wrong: InputFault[] = [];
    note(wrong, "request", () => checkFacts(facts));
    faults.push(...wrong.map(({ field, message }) => ({ field: `expectations[${index}].${field}`, message })));
  }
  if (faults.length > 0) throw new FaultyInputError(faults);
  const surroundings = {
    isAttackMode: attackMode as boolean,
    bypasses: (bypasses as { domain?: string | null; ip?: string | null }[]).map(({ domain = null, ip = null }) => ({
      domain,
      ip,
    })),
  };
  const evaluate = prepareEvaluation(content, surroundings);
  const verdicts = [];
  for (const { facts, repeat } of requests) {
    const { decision, steps = [] } = evaluate(repeated(facts as RequestAttributes, repeat, now)).at(-1) as {
      decision: FirewallVerdict["decision"];
      steps?: FirewallVerdict["steps"];
    };
    verdicts.push({ decision, steps });
  }
  return verdicts;
}
