// Reading ModSecurity's audit log: what an entry says, and following the file.
import assert from "node:assert/strict";
import { appendFileSync, copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { waitFor } from "../../../test/harness/wait-for.ts";
import { CRS_CATEGORIES } from "../../firewall/evaluator/config.ts";
import type { Configuration } from "../../firewall/evaluator/config.ts";
import { parseAuditEntry, ruleId, worstRule } from "./audit-entry.ts";
import { followLog } from "./audit-log.ts";
import { engineDecision } from "./engine-decision.ts";

/** As libmodsecurity 3.0.9 writes it, shortened. */
function line(ruleIds: readonly (readonly [id: number, severity: number])[], more: object = {}): string {
  const transaction = {
    client_ip: "203.0.113.7",
    request: { method: "GET", uri: "/?a=b", headers: { Host: "shop.test", Cookie: "session=1" } },
    response: { http_code: 403 },
    producer: { secrules_engine: "Enabled", components: ['Reeve acme/shop"', 'OWASP_CRS/3.3.4"'] },
    messages: ruleIds.map(([id, severity]) => ({
      message: "",
      details: { ruleId: String(id), severity: String(severity) },
    })),
    ...more,
  };
  return JSON.stringify({ transaction });
}

function configurationOf(actions: Readonly<Record<string, "deny" | "log">>): Configuration {
  const crs = Object.fromEntries(
    CRS_CATEGORIES.map((name) => [name, { active: name in actions, action: actions[name] ?? "deny" }]),
  ) as NonNullable<Configuration["crs"]>;
  return { firewallEnabled: true, crs, rules: [], ips: [] };
}

function ruleIn(text: string, actions: Readonly<Record<string, "deny" | "log">>): string | null {
  const entry = parseAuditEntry(text);
  assert.ok(entry);
  const worst = worstRule(entry, configurationOf(actions));
  return worst && ruleId(worst);
}

describe("an entry of the audit log", () => {
  it("says which project, host, address and rule a denied request was of", () => {
    const text = line([
      [920_350, 4],
      [941_100, 2],
      [941_110, 2],
      [949_110, 2],
    ]);
    const entry = parseAuditEntry(text);
    assert.deepEqual(
      [entry?.project, entry?.host, entry?.ip, entry?.isDenied],
      ["acme/shop", "shop.test", "203.0.113.7", true],
    );
    assert.equal(ruleIn(text, { xss: "deny" }), "crs:xss:941100");
  });

  it("counts a denied request under a category that denies, and one that would have been under one that is logged", () => {
    const both = [
      [913_100, 2],
      [942_100, 2],
    ] as const;
    assert.equal(ruleIn(line([...both, [949_110, 2]]), { sd: "log", sqli: "deny" }), "crs:sqli:942100");
    const logged = line([...both, [87_120, 8]]);
    assert.equal(ruleIn(logged, { sd: "deny", sqli: "log" }), "crs:sqli:942100");
    assert.equal(parseAuditEntry(logged)?.isDenied, false);
    // A category that was switched off meanwhile.
    assert.equal(ruleIn(logged, {}), "crs:sd:913100");
    assert.equal(
      ruleIn(
        line([
          [87_111, 2],
          [949_110, 2],
        ]),
        { xss: "deny" },
      ),
      "crs:protocol:87111",
    );
  });

  it("that was cut has the rules that are whole", () => {
    const rules = [
      [941_100, 2],
      [942_100, 2],
      [949_110, 2],
    ] as const;
    for (const [status, isDenied] of [
      [403, true],
      [200, false],
    ] as const) {
      const text = line(rules, { response: { http_code: status } });
      // Keys in the order in which the engine writes them.
      const entry = parseAuditEntry(text.slice(0, text.indexOf('"949110"')));
      assert.deepEqual([entry?.isDenied, entry?.rules.map(({ id }) => id)], [isDenied, [941_100, 942_100]]);
    }
    assert.equal(parseAuditEntry(line(rules).slice(0, 300)), null);
  });

  it("is not counted as denied by an engine that only detects", () => {
    const producer = { secrules_engine: "DetectionOnly", components: ["Reeve acme/shop"] };
    assert.equal(
      parseAuditEntry(
        line(
          [
            [941_100, 2],
            [949_110, 2],
          ],
          { producer },
        ),
      )?.isDenied,
      false,
    );
  });

  it("is a decision with its request and the rules that matched, without what they found", () => {
    const messages = [
      {
        message: "XSS Filter",
        details: {
          ruleId: "941110",
          severity: "2",
          match: "Matched \"Operator `Rx' with parameter `x' against variable `ARGS:q' (Value: `sword-fish' )",
        },
      },
      {
        message: "SQL Injection",
        details: { ruleId: "942100", severity: "2", data: "Matched Data: s&1 found within ARGS:password: sword-fish" },
      },
      {
        message: "SQL Injection",
        details: {
          ruleId: "942360",
          severity: "2",
          data: "Matched Data: x found within ARGS_NAMES:sword-fish: sword-fish",
        },
      },
      { message: "Too high", details: { ruleId: "949110", severity: "2" } },
    ];
    const request = {
      method: "POST",
      uri: "/login?a=1",
      headers: { Host: "shop.test", "X-Forwarded-Proto": "https" },
    };
    const entry = parseAuditEntry(line([], { unique_id: "0123456789abcdef0123456789abcdef", request, messages }));
    assert.ok(entry);
    const found = engineDecision(entry, { ...configurationOf({ sqli: "deny", xss: "log" }), version: 3 });
    assert.ok(found);
    const { id, action, status, by, version, logged } = found.decision;
    assert.deepEqual([id, action, status, version], [entry.id, "deny", 403, 3]);
    assert.deepEqual(by, { phase: "managed", id: "crs:sqli:942100", name: "SQL Injection" });
    assert.deepEqual(logged, []);
    const { method, scheme, host, target, ip } = found.request;
    assert.deepEqual([method, scheme, host, target, ip], ["POST", "https", "shop.test", "/login?a=1", "203.0.113.7"]);
    assert.deepEqual(
      found.steps.map((step) => [step.id, step.action, step.reason]),
      [
        ["crs:xss:941110", "log", "in ARGS:q"],
        ["crs:sqli:942100", "deny", "in ARGS:password"],
        ["crs:sqli:942360", "deny", "in ARGS_NAMES"],
      ],
    );
    assert.ok(!JSON.stringify([found.steps, found.decision]).includes("fish"));
    const long = engineDecision({ ...entry, method: "M".repeat(100) }, null)?.request.method;
    assert.equal(long?.length, 32);
    // Of an engine that makes up ids of its own: nobody is shown them.
    assert.equal(engineDecision({ ...entry, id: "176420.123456" }, null), null);
  });

  it("reads the protocol as the gate does", () => {
    const schemes = ["HTTPS", "wss", "http, https", '"https"', "https, http", "ws", "ftp", ""].map((protocol) => {
      const request = { method: "GET", uri: "/", headers: { Host: "shop.test", "X-Forwarded-Proto": protocol } };
      const entry = parseAuditEntry(line([[949_110, 2]], { unique_id: "0123456789abcdef0123456789abcdef", request }));
      return entry && engineDecision(entry, null)?.request.scheme;
    });
    assert.deepEqual(schemes, ["https", "https", "https", "https", "http", "http", "http", "http"]);
  });

  it("that is only logged is a request that was let through", () => {
    const entry = parseAuditEntry(
      line(
        [
          [942_100, 2],
          [87_120, 8],
        ],
        { unique_id: "0123456789abcdef0123456789abcdef" },
      ),
    );
    assert.ok(entry);
    const { action, status, by, logged } = engineDecision(entry, null)?.decision ?? {};
    assert.deepEqual([action, status, by], ["allow", null, null]);
    assert.deepEqual(logged, [{ phase: "managed", id: "crs:sqli:942100", name: null }]);
  });

  for (const [what, text] of [
    ["that is no JSON", "{"],
    ["that is none", "[1]"],
    [
      "of other rules",
      line([[949_110, 2]], { producer: { secrules_engine: "Enabled", components: ["OWASP_CRS/3.3.4"] } }),
    ],
    ["below the threshold", line([[920_350, 4]])],
    [
      "with members of other types",
      JSON.stringify({ transaction: { producer: { components: [1, null] }, messages: "none" } }),
    ],
  ] as const) {
    it(`is nothing when it is one ${what}`, () => assert.equal(parseAuditEntry(text), null));
  }
});

const folder = mkdtempSync(join(tmpdir(), "reeve-audit-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

/** Resolves when it has looked for the first time. */
async function follow(isThere: boolean) {
  const path = join(folder, `audit-${++files}.json`);
  if (isThere) writeFileSync(path, "before the start\n");
  const lines: string[] = [];
  const problems: (string | null)[] = [];
  const log = followLog({
    path,
    fromEnd: true,
    onLine: (one) => lines.push(one),
    onProblem: (one) => problems.push(one),
  });
  const stop = () => log.stop();
  after(stop);
  await waitFor("the first look", () => problems.length > 0 || undefined);
  const expect = (...expected: readonly string[]) =>
    waitFor(`the lines ${expected.join()}`, () => (lines.join() === expected.join() ? true : undefined));
  return { path, lines, problems, stop, expect };
}

describe("following a log", () => {
  it("begins at its end, and reads whole lines", async () => {
    const { path, expect } = await follow(true);
    appendFileSync(path, "first\n\u00e4bc");
    await expect("first");
    appendFileSync(path, "d\n\n");
    await expect("first", "\u00e4bcd");
  });

  it("reads a log that comes later from its beginning", async () => {
    const { path, expect, problems } = await follow(false);
    assert.match(problems[0] ?? "", /ENOENT/);
    writeFileSync(path, "first\n");
    await expect("first");
    // It is told when the look at the log has ended.
    await waitFor("the log to be there", () => problems.at(-1) === null || undefined);
  });

  it("reads on when it is moved away, or is cut short", async () => {
    const { path, expect } = await follow(false);
    writeFileSync(path, "one\n");
    await expect("one");
    appendFileSync(path, "two\n");
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, "three\n");
    writeFileSync(path, "four\n");
    await expect("one", "two", "three", "four");
    copyFileSync(path, `${path}.1`);
    truncateSync(path);
    writeFileSync(path, "5\n");
    await expect("one", "two", "three", "four", "5");
  });

  it("has the beginning of a line that is too long", async () => {
    const { path, expect } = await follow(false);
    writeFileSync(path, `${"x".repeat(3_000_000)}\nshort\n`);
    await expect("x".repeat(1_048_576), "short");
  });

  it("reads what is left when it stops", async () => {
    const { path, expect, lines, stop } = await follow(false);
    writeFileSync(path, "one\n");
    await expect("one");
    appendFileSync(path, "two\n");
    await stop();
    assert.deepEqual(lines, ["one", "two"]);
  });
});
