// Runs a text of expectations as `reeve firewall test` does, against a configuration that is stored.
import { describeOutcome, isAsExpected } from "../../../../src/platform/outcomes/decision-text.ts";
import { readExpectations } from "../../../../src/platform/outcomes/expectations.ts";
import type { Expectation } from "../../../../src/platform/outcomes/expectations.ts";
import { parseYaml } from "../../../../src/platform/kernel/text/located-yaml.ts";
import { call } from "../../../api/call.ts";

/** One call takes so many requests. */
const MOST = 1_000;

type Evaluation = Awaited<ReturnType<typeof call<"POST /v1/firewalls/:configVersion/evaluate">>>;

export interface TestRun {
  readonly isMet: boolean;
  readonly decision: Evaluation["results"][number]["decision"];
  /** What decided, and why the expected rule did not. */
  readonly why: string;
}

export interface Tests {
  readonly expectations: readonly Expectation[];
  readonly attackMode: boolean;
  readonly bypasses: readonly object[];
}

/** Reads the text. Throws an error that names each line that is wrong. */
export function readTests(text: string): Tests {
  const read = parseYaml(text);
  if ("problem" in read) throw new Error(`Line ${read.line}: ${read.problem}`);
  const { configuration, attackMode, bypasses, expectations } = readExpectations({ file: "line", ...read });
  if (configuration !== undefined) throw new Error("configuration: leave it out; the page has a choice of it");
  const long = expectations.find(({ repeat }) => repeat > MOST);
  if (long) throw new Error(`${long.name}: repeat: expected at most ${MOST} here; reeve firewall test takes more`);
  return { expectations, attackMode: attackMode === true, bypasses: Array.isArray(bypasses) ? bypasses : [] };
}

type Evaluate = Parameters<typeof call<"POST /v1/firewalls/:configVersion/evaluate">>[1];

/** Runs one expectation. Each begins with empty counters, so each is a call of its own. */
export async function runTest(
  { attributes, repeat, ...expectation }: Expectation,
  { attackMode, bypasses }: Tests,
  where: Pick<Evaluate, "params" | "query">,
): Promise<TestRun> {
  const request = attributes as Evaluate["body"]["requests"][number];
  const { results } = await call("POST /v1/firewalls/:configVersion/evaluate", {
    ...where,
    body: {
      requests: Array.from({ length: repeat }, () => request),
      attackMode,
      bypasses: [...bypasses],
      trace: repeat === 1,
    },
  });
  const last = results.at(-1);
  if (!last) throw new Error("The server sent no result");
  const result = { decision: last.decision, steps: last.steps ?? [] };
  const expected = { ...expectation, attributes, repeat };
  return {
    isMet: isAsExpected(result, expected),
    decision: last.decision,
    why: describeOutcome(result, expected),
  };
}
