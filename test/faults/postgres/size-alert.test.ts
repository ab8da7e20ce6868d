// The rule for the size of the database that docs/observability.md shows, by Prometheus' own promtool.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { stringify } from "yaml";
import { METRICS } from "../../../src/platform/kernel/telemetry/metric-list.ts";
import { promtool } from "./alert-recording.ts";

const folder = mkdtempSync(join(tmpdir(), "reeve-size-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(new URL("../../../docs/observability.md", import.meta.url), "utf8");
const [, shown = ""] = /```yaml\n(groups:\n[^]*?)```/.exec(page) ?? [];
const rules = join(folder, "rules.yml");
writeFileSync(rules, shown);

test("the example of a rule on the size of the database fires while it can still be acted on", () => {
  // Two days of samples, one each ten minutes, from 100 GB on.
  const cases = [
    ["stays", "100000000000+0x288", false],
    ["grows by 10 GB a day", "100000000000+70000000x288", false],
    ["grows by 20 GB a day", "100000000000+140000000x288", true],
    ["has taken four fifths", "161000000000+0x288", true],
  ] as const;
  for (const [what, values, fires] of cases) {
    const series = `${METRICS.storeSize.name}{file="database",instance="a"}`;
    const asked = { expr: `count(ALERTS{alertstate="firing"})`, eval_time: "2d" };
    const samples = fires ? [{ labels: "{}", value: 1 }] : [];
    const tests = [
      {
        interval: "10m",
        input_series: [{ series, values }],
        promql_expr_test: [{ ...asked, exp_samples: samples }],
      },
    ];
    const file = join(folder, "test.yml");
    writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: "10m", tests }));
    const { status, output } = promtool("test", "rules", file);
    assert.equal(status, 0, `${what}: ${output}`);
  }
});
