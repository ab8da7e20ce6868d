// Sequences of requests, and the check that the evaluator and the naive interpreter decide them alike.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Configuration } from "../../src/firewall/evaluator/config.ts";
import type { Decision, Explanation } from "../../src/firewall/evaluator/decision.ts";
import { createCounters } from "../../src/firewall/evaluator/counters.ts";
import { compileConfiguration, decide } from "../../src/firewall/evaluator/evaluator.ts";
import { explain } from "../../src/firewall/evaluator/explain.ts";
import { compileProtectionContext } from "../../src/firewall/evaluator/protection-context.ts";
import type { ProtectionContext } from "../../src/firewall/evaluator/protection-context.ts";
import type { RequestAttributes } from "../../src/firewall/evaluator/request/attributes.ts";
import { holds, type Observe } from "./naive/conditions.ts";
import { createNaiveCounters } from "./naive/counters.ts";
import { interpret } from "./naive/interpreter.ts";
import { readRequest } from "./naive/request.ts";
import { pause, protectionContext } from "./requests.ts";

interface TimedRequest {
  readonly pauseMs: number;
  readonly context: ProtectionContext;
  readonly attributes: RequestAttributes;
}

export interface Scenario {
  readonly configuration: Configuration;
  readonly startMs: number;
  /** Before this request the first rule moves to the end. Counters have to survive that. */
  readonly rotatesAt: number;
  readonly requests: readonly TimedRequest[];
}

/** Generates arrays of one length, and shrinks them to shorter ones. */
class FixedLength<T> extends fc.Arbitrary<T[]> {
  readonly #whole: fc.Arbitrary<T[]>;
  readonly #shorter: fc.Arbitrary<T[]>;

  constructor(item: fc.Arbitrary<T>, length: number) {
    super();
    this.#whole = fc.array(item, { minLength: length, maxLength: length, size: "max" });
    this.#shorter = fc.array(item, { minLength: 1, maxLength: length, size: "max" });
  }

  override generate(random: fc.Random, bias: number | undefined): fc.Value<T[]> {
    return this.#whole.generate(random, bias);
  }

  override canShrinkWithoutContext(value: unknown): value is T[] {
    return this.#shorter.canShrinkWithoutContext(value);
  }

  override shrink(value: T[], context: unknown): fc.Stream<fc.Value<T[]>> {
    return this.#shorter.shrink(value, context);
  }
}

export function scenarios(
  configuration: fc.Arbitrary<Configuration>,
  request: fc.Arbitrary<RequestAttributes>,
  startMs: fc.Arbitrary<number>,
  length: number,
): fc.Arbitrary<Scenario> {
  const requests = new FixedLength(
    fc.record({ pauseMs: pause, context: protectionContext, attributes: request }),
    length,
  );
  return fc.record({ configuration, startMs, rotatesAt: fc.integer({ min: 1, max: 2 * length }), requests });
}

function rotate(configuration: Configuration): Configuration {
  const [first, ...others] = configuration.rules;
  return first ? { ...configuration, rules: [...others, first] } : configuration;
}

const compiledContexts = new WeakMap<ProtectionContext, ReturnType<typeof compileProtectionContext>>();

/** Compiles each context once: most requests share one. */
function compileContext(context: ProtectionContext): ReturnType<typeof compileProtectionContext> {
  const known = compiledContexts.get(context) ?? compileProtectionContext(context);
  compiledContexts.set(context, known);
  return known;
}

export interface Watcher {
  readonly condition?: Observe;
  readonly decision?: (decision: Decision) => void;
}

/** Every step that decided or logged is shown, and each condition matches where the naive interpreter says so. */
function checkTraces(
  { decision: { by, logged }, steps }: Explanation,
  configuration: Configuration,
  attributes: RequestAttributes,
): void {
  for (const cause of by ? [...logged, by] : logged) {
    const isThere = steps.some(
      ({ phase, id, name }) => phase === cause.phase && id === cause.id && name === cause.name,
    );
    assert.ok(isThere, `no step for ${cause.id}`);
  }
  const scope = { configuration, request: readRequest(attributes), isWithinShared: false };
  for (const { phase, id, groups } of steps) {
    if (phase !== "rule" || !groups) continue;
    const rule = configuration.rules.find((each) => each.id === id);
    const expected = rule?.conditionGroup.map((group) => ({
      matches: group.conditions.length > 0 && group.conditions.every((condition) => holds(condition, scope)),
      conditions: group.conditions.map((condition) => holds(condition, scope)),
    }));
    const traced = groups.map(({ matches, conditions }) => ({
      matches,
      conditions: conditions.map((one) => one.holds),
    }));
    assert.deepStrictEqual(traced, expected, `traces of ${id}`);
  }
}

/** Throws at the first request that the evaluator and the interpreter, or `decide` and `explain`, decide differently. */
export function checkScenario({ configuration, startMs, rotatesAt, requests }: Scenario, watcher: Watcher = {}): void {
  const counters = createCounters();
  const explained = createCounters();
  const naive = createNaiveCounters();
  let current = configuration;
  let compiled = compileConfiguration(current);
  let now = startMs;
  for (const [index, { attributes, pauseMs, context }] of requests.entries()) {
    if (index === rotatesAt) {
      current = rotate(current);
      compiled = compileConfiguration(current);
    }
    now += pauseMs;
    const known = compileContext(context);
    const expected = interpret(current, context, attributes, naive, now, watcher.condition);
    const actual = decide(compiled, known, attributes, counters, now);
    assert.deepStrictEqual(actual, expected, `request ${index}`);
    const explanation = explain(compiled, known, attributes, explained, now);
    assert.deepStrictEqual(explanation.decision, expected, `explained ${index}`);
    if (index % 10 === 0) checkTraces(explanation, current, attributes);
    watcher.decision?.(expected);
  }
}
