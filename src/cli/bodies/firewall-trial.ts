// `reeve firewall test`: evaluates requests against a configuration, which is validated as if it were to be stored.
import type { FirewallTrial, FirewallResult, InputError } from "../../platform/outcomes/firewall-trial.ts";
import { InvalidInputError } from "../../platform/outcomes/firewall-trial.ts";
import type { RequestAttributes } from "../../firewall/evaluator/request/attributes.ts";
import { compileCheck } from "../../platform/operations/validation.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Instance } from "../../platform/kernel/contract.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { Type } from "typebox";
import { parseConfig } from "../../firewall/configurations/config-rules.ts";
import { EMPTY, replaceContent } from "../../firewall/configurations/content-rules.ts";
import type { Content } from "../../firewall/configurations/content-rules.ts";
import { BypassInput } from "../../firewall/evaluation/contract.ts";
import { prepareEvaluation } from "../../firewall/evaluation/evaluate.ts";
import type { EvaluationRequest } from "../../firewall/evaluation/evaluate.ts";
import { RequestAttributes as RequestAttributesSchema } from "../../firewall/evaluation/attributes-schema.ts";
import { parseBody } from "../../firewall/configurations/parse-rules.ts";
import { requireCost } from "../../firewall/configurations/versions.ts";

const checkAttackMode = compileCheck("attackMode", Type.Boolean(), "bad_request");
const checkBypasses = compileCheck("bypasses", Type.Array(BypassInput), "bad_request");
const checkAttributes = compileCheck("request", RequestAttributesSchema, "bad_request");

/** Runs a check that throws as for HTTP, and collects its errors. */
function collect(errors: InputError[], field: string, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { errors: listed, field: named = field } = error.details as {
      errors?: readonly InputError[];
      field?: string;
    };
    errors.push(...(listed ?? [{ field: named, message: error.message.replace(`${named}: `, "") }]));
  }
}

function readContent(configuration: unknown, instance: Instance): Content {
  const requested = parseBody(parseConfig, configuration, "configuration", instance.firewallCostLimit);
  const content = replaceContent(requested, EMPTY, { updatedAt: "", username: "" });
  requireCost(content, instance);
  return content;
}

function* repeated(attributes: RequestAttributes, times: number, at: number): Generator<EvaluationRequest> {
  for (let left = times; left > 0; left--) yield { attributes: attributes, at, trace: left === 1 };
}

/** Throws an `InvalidInputError` that lists every error. */
export function testFirewall(trial: FirewallTrial, instance: Instance, clock: Clock): readonly FirewallResult[] {
  const { configuration, attackMode, bypasses, requests } = trial;
  const errors: InputError[] = [];
  const now = clock();
  let content = EMPTY;
  collect(errors, "configuration", () => {
    content = readContent(configuration, instance);
  });
  collect(errors, "attackMode", () => checkAttackMode(attackMode));
  collect(errors, "bypasses", () => checkBypasses(bypasses));
  for (const [index, { attributes }] of requests.entries()) {
    const wrong: InputError[] = [];
    collect(wrong, "request", () => checkAttributes(attributes));
    errors.push(...wrong.map(({ field, message }) => ({ field: `expectations[${index}].${field}`, message })));
  }
  if (errors.length > 0) throw new InvalidInputError(errors);
  const context = {
    isAttackMode: attackMode as boolean,
    bypasses: (bypasses as { domain?: string | null; ip?: string | null }[]).map(({ domain = null, ip = null }) => ({
      domain,
      ip,
    })),
  };
  const evaluate = prepareEvaluation(content, context);
  const results = [];
  for (const { attributes, repeat } of requests) {
    const { decision, steps = [] } = evaluate(repeated(attributes as RequestAttributes, repeat, now)).at(-1) as {
      decision: FirewallResult["decision"];
      steps?: FirewallResult["steps"];
    };
    results.push({ decision, steps });
  }
  return results;
}
