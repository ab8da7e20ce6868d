import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { describe, it } from "node:test";
import { configurationOf, evaluationOf, ruleOf } from "../../../test/resources/evaluation.ts";
import { threadMs } from "../../../test/harness/thread-time.ts";
import type { Condition, Rule } from "./config.ts";
import { MAX_PATTERN_SIZE, compilePattern } from "./pattern/pattern.ts";
import { TimeLimitError, countCharacters, withTimeLimit } from "./time-limit.ts";

const URL_16K = `https://shop.test/${"ab".repeat(8_000)}`;
/** Far above the limit, and far below what the same takes without one. */
const MOST_CPU_MS = 60;

const deny = { action: "deny" } as const;
const slowExpression: Condition = { type: "raw_path", op: "re", value: "[a-z/]{900}\\d{900}" };
/** Not indexed, so each is evaluated; all hold but the last. */
const manyConditions: readonly Condition[] = [
  ...Array.from({ length: 99 }, (_, at): Condition => ({
    type: "raw_path",
    op: "sub",
    value: `${"ab".repeat(20)}${at}`,
    neg: true,
  })),
  { type: "raw_path", op: "sub", value: "zq" },
];

function outcome(rules: readonly Rule[], url: string) {
  const evaluation = evaluationOf(configurationOf({ rules }));
  evaluation.decide({ url: "https://shop.test/" });
  let name = "none";
  const ms = threadMs(() => {
    try {
      name = withTimeLimit(() => evaluation.decide({ url }).action);
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      ({ name } = error);
    }
  });
  return { name, ms };
}

describe("the time limit of an evaluation", () => {
  it("ends one that a slow expression would take half a second for", () => {
    const rules = Array.from({ length: 2 }, (_, at) => ruleOf(String(at), deny, [slowExpression]));
    const { name, ms } = outcome(rules, URL_16K);
    assert.equal(name, "TimeLimitError");
    assert.ok(ms < MOST_CPU_MS, `${ms} ms`);
    assert.equal(outcome(rules, "https://shop.test/abc").name, "allow");
  });

  it("ends one of a hundred thousand plain conditions", () => {
    const rules = Array.from({ length: 1_000 }, (_, at) => ruleOf(String(at), deny, manyConditions));
    const { name, ms } = outcome(rules, URL_16K);
    assert.equal(name, "TimeLimitError");
    assert.ok(ms < MOST_CPU_MS, `${ms} ms`);
  });

  it("is over with the evaluation: what follows has none", () => {
    const rules = [ruleOf("slow", deny, [slowExpression])];
    const evaluation = evaluationOf(configurationOf({ rules }));
    assert.throws(() => withTimeLimit(() => evaluation.decide({ url: URL_16K })), TimeLimitError);
    assert.equal(evaluation.decide({ url: URL_16K }).action, "allow");
    assert.throws(() => withTimeLimit(() => assert.fail("as it is")), /as it is/);
  });

  it("does not end the reading of a body while the machine puts the process aside", (t) => {
    let now = 1;
    t.mock.method(performance, "now", () => (now += 100));
    const read = () => {
      for (let step = 0; step < 10; step++) countCharacters(60_000);
    };
    assert.throws(() => withTimeLimit(read), TimeLimitError);
    withTimeLimit(read, true);
    const busy = () => {
      for (const endsAt = process.cpuUsage().user + 100_000; process.cpuUsage().user < endsAt;) countCharacters(60_000);
    };
    assert.throws(() => withTimeLimit(busy, true), TimeLimitError);
  });

  it("gives the first bodies of a process more time, because their code has not run before", () => {
    const script = `
      import { countCharacters, withTimeLimit } from ${JSON.stringify(import.meta.resolve("./time-limit.ts"))};
      const usedSince = (start) => process.threadCpuUsage(start).user + process.threadCpuUsage(start).system;
      const work = () => {
        for (const start = process.threadCpuUsage(); usedSince(start) < 10_000;) countCharacters(60_000);
      };
      const outcomes = Array.from({ length: 101 }, (_, body) => {
        try {
          return withTimeLimit(body % 50 === 0 ? work : () => {}, true) ?? "read";
        } catch (error) {
          return error.name;
        }
      });
      console.log([outcomes[0], outcomes[50], outcomes[100]].join());`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    assert.equal(printed, "read,read,TimeLimitError\n");
  });

  it("does not change what a long expression finds", (t) => {
    // The clock stands still: a limit is in force that no machine reaches.
    t.mock.method(performance, "now", () => 1);
    const texts = [`${"ab".repeat(150)}x`, `${"é\u{1f600}".repeat(80)}END`, "a".repeat(300), "x".repeat(250)];
    const expressions = [
      "(?:a|b)*a(?:a|b){90}[xy]",
      "[a-z]{90}[^a]|END$",
      "^.{250}$",
      "é\u{1f600}{1,2}(?:end|[a-z]{90})",
    ];
    for (const expression of expressions) {
      const { size, test } = compilePattern(expression);
      assert.ok(size <= MAX_PATTERN_SIZE);
      for (const text of texts) {
        const found = test(text);
        assert.equal(
          withTimeLimit(() => test(text)),
          found,
          `${expression} in ${text.slice(0, 20)}`,
        );
      }
    }
  });
});
