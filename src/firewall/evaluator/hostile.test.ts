import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configurationOf, evaluationOf, ruleOf } from "../../../test/resources/evaluation.ts";
import { CONDITION_TYPES, CRS_CATEGORIES, MANAGED_SETS } from "./config.ts";
import type { Condition, Configuration } from "./config.ts";
import type { RequestAttributes } from "./request/attributes.ts";
import { threadMs } from "../../../test/harness/thread-time.ts";

const BIG = 100_000;

const everything: Configuration = configurationOf({
  ips: [],
  rules: CONDITION_TYPES.flatMap((type) =>
    (["eq", "pre", "suf", "sub", "re", "gt"] as const).map((op) => {
      const condition: Condition = { type, op, key: "a", value: op === "re" ? "(a|aa)+b|^x*y" : "zz" };
      return ruleOf(`${type} ${op}`, { action: "log" }, [condition]);
    }),
  ),
  managedRules: Object.fromEntries(MANAGED_SETS.map((id) => [id, { active: true, action: "log" as const }])),
  crs: Object.fromEntries(CRS_CATEGORIES.map((id) => [id, { active: true, action: "log" }])) as NonNullable<
    Configuration["crs"]
  >,
});

/** Requests that take long when some part of the evaluator is not linear. */
const UNITS = [
  "a",
  "%",
  "%2",
  "%41",
  "%ff",
  "%c3%28",
  "/",
  "/.",
  "/..",
  "../",
  "&",
  "=",
  "a=&",
  ";",
  " ",
  "\t",
  "@",
  ":",
];
const MORE_UNITS = [
  "#",
  "?",
  "+",
  ".",
  "*.",
  "[",
  "\0",
  "\r\n",
  "\ud800",
  "\u017f",
  "\u0130",
  "\u03a3",
  "<",
  "'",
  "0",
  "-",
  "--",
  "\\",
];

function hugeRequests(unit: string): RequestAttributes[] {
  const huge = unit.repeat(BIG / unit.length);
  const headers = { host: huge, cookie: `a=${huge}`, a: [huge, "x"], "user-agent": huge };
  return [
    { url: `/${huge}?a=${huge}`, headers },
    { url: `http://${huge}`, headers: { [huge]: huge }, ip: huge, body: huge },
    { url: huge, method: huge, route: huge, geo: { asNumber: `9${huge}` }, rulesets: [huge] },
  ];
}

describe("a hostile request", () => {
  it("is decided in time linear in its size", () => {
    const { decide } = evaluationOf(everything);
    for (const attributes of hugeRequests("w")) decide(attributes);
    const slow: string[] = [];
    for (const unit of [...UNITS, ...MORE_UNITS]) {
      for (const [at, attributes] of hugeRequests(unit).entries()) {
        const ms = threadMs(() => decide(attributes));
        if (ms > 1_500) slow.push(`${JSON.stringify(unit)} ${at}: ${ms.toFixed()} ms`);
      }
    }
    assert.deepEqual(slow, []);
  });

  it("may have very many parts", () => {
    const { decide } = evaluationOf(everything);
    const many = Array.from({ length: 20_000 }, (_, at) => `n${at}`);
    const attributes: RequestAttributes = {
      url: `/?${many.map((name) => `${name}=${name}`).join("&")}`,
      headers: { ...Object.fromEntries(many.map((name) => [name, name])), cookie: many.map((name) => `${name}=1`) },
      rulesets: many,
    };
    const ms = threadMs(() => decide(attributes));
    assert.ok(ms < 5_000, `${ms} ms`);
  });
});
