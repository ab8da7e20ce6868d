// What the core rule set denies of requests that ordinary applications get, and of attacks: the shares, and each kind that passes or fails
// as a whole. `CRS_DENIALS=1` prints each group and each rule.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { PROSE } from "../../../src/firewall/evaluator/config.ts";
import { ATTACKS, HARMLESS } from "./crs-corpus.ts";
import { SHAPES } from "./crs-shapes.ts";
import { startEngine } from "./crs-engine.ts";
import type { Outcome } from "./crs-engine.ts";

const engine = await startEngine();
const relaxed = await startEngine([
  {
    id: "prose",
    name: "Prose and code in bodies",
    active: true,
    conditionGroup: [{ conditions: [{ type: "ruleset", op: "eq", value: PROSE }] }],
    action: { mitigate: { action: "bypass" } },
  },
]);
const [harmless, attacks, text, attacksOnText] = await Promise.all([
  engine.send(HARMLESS),
  engine.send(ATTACKS),
  relaxed.send(HARMLESS),
  relaxed.send(ATTACKS),
]);

const isDenied = ({ status }: Outcome) => status === 403;
const share = (outcomes: readonly Outcome[]) => outcomes.filter(isDenied).length / outcomes.length;
const of = (outcomes: readonly Outcome[], group: string) => outcomes.filter(({ request }) => request.group === group);
const shown = ({ request, rules }: Outcome) =>
  `${request.method} ${request.target} ${request.headers["content-type"]} ${request.body.toString().slice(0, 60)} ${rules.join()}`;

function counted(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => name);
  return [...counts].map(([name, { length }]) => `${name} ${length}`).join(", ");
}

function report(t: TestContext, what: string, outcomes: readonly Outcome[]): void {
  const denied = outcomes.filter(isDenied);
  t.diagnostic(`${what}: ${denied.length} of ${outcomes.length} (${(100 * share(outcomes)).toFixed(1)} %)`);
  if (process.env["CRS_DENIALS"] === undefined) return;
  t.diagnostic(counted(denied.map(({ request }) => request.group)));
  t.diagnostic(counted(denied.flatMap(({ rules }) => [...new Set(rules)].map(String))));
}

it("less than a quarter of the harmless requests and at least nine tenths of the attacks are denied", (t) => {
  report(t, "harmless refused", harmless);
  report(t, "attacks denied", attacks);
  assert.ok(share(harmless) < 0.25);
  assert.ok(share(attacks) >= 0.9);
});

it("with `prose` a fifteenth of the harmless requests and at least seven tenths of the attacks are denied", (t) => {
  report(t, "harmless refused with prose", text);
  report(t, "attacks denied with prose", attacksOnText);
  assert.ok(share(text) < 1 / 15);
  assert.ok(share(attacksOnText) >= 0.715);
});

it("with `prose` the queries, cookies and headers are looked at as before", () => {
  const isElsewhere = ({ request: { group, body } }: Outcome) => body.length === 0 || group.includes("beside a body");
  const before = attacks.filter(isElsewhere).map(({ status }) => status);
  assert.ok(before.length > 400, `only ${before.length}`);
  assert.deepEqual(
    attacksOnText.filter(isElsewhere).map(({ status }) => status),
    before,
  );
});

describe("with `prose` none is refused of", () => {
  for (const group of ["GraphQL", "GraphQL as a type", "JSON API", "lines", "values (form)", "values (json)"]) {
    it(group, () => assert.deepEqual(of(text, group).filter(isDenied).map(shown), []));
  }
});

describe("none is refused of", () => {
  for (const group of [
    "types with parameters",
    "JSON-like types",
    "XML",
    "a type without a body",
    "a type with an empty body",
    "methods",
    "CSV",
    "plain text",
    "uploads as the body",
    "no type",
    "multipart/related",
    "forms",
    "pages",
    "headers",
  ]) {
    it(group, () => {
      const sent = of(harmless, group);
      assert.ok(sent.length > 0);
      assert.deepEqual(sent.filter(isDenied).map(shown), []);
    });
  }
});

describe("an attack is denied, or passes, as docs/modsecurity.md says of", () => {
  for (const { shape, isSeen, requests } of SHAPES) {
    it(`${shape}: ${isSeen ? "denied" : "passes"}`, async () => {
      const other = (await engine.send(requests)).filter((one) => isDenied(one) !== isSeen);
      assert.deepEqual(other.map(shown), []);
    });
  }
});
