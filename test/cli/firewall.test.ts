import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createStorage } from "../harness/test-app.ts";
import { runReeve, serveReeve } from "./in-process.ts";

const storage = await createStorage();
const folder = mkdtempSync(join(tmpdir(), "reeve-firewall-"));
after(async () => {
  rmSync(folder, { recursive: true });
  await storage.remove();
});
const settings = storage.flags;
/** A folder without a store: commands that need none must not look for one. */
const NO_STORE = { dataDir: join(folder, "nowhere") };

function write(name: string, content: string | object): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const testFirewall = (file: string, ...flags: string[]) => runReeve(["firewall", "test", file, ...flags], NO_STORE);

const deny = (name: string, path: string, more: object = {}) => ({
  name,
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: path }] }],
  action: { mitigate: { action: "deny" } },
  ...more,
});

const configuration = {
  firewallEnabled: true,
  rules: [
    deny("Panel", "/admin"),
    deny("Old", "/old", { active: false }),
    deny("Key", "/key", {
      conditionGroup: [
        {
          conditions: [
            { type: "path", op: "eq", value: "/key" },
            { type: "header", key: "x-key", op: "eq", value: "right", neg: true },
          ],
        },
      ],
    }),
    deny("Logins", "/login", {
      action: {
        mitigate: {
          action: "rate_limit",
          rateLimit: { algo: "fixed_window", window: 60, limit: 2, keys: ["ip"] },
        },
      },
    }),
  ],
  ips: [{ hostname: "*", ip: "198.51.100.7", action: "challenge" }],
  managedRules: { ai_bots: { active: true } },
};

test("the example of docs/testing-firewalls.md works when it is copied", async () => {
  const page = readFileSync(new URL("../../docs/testing-firewalls.md", import.meta.url), "utf8");
  const section = /<!-- firewall test -->([^]*)<!-- end of firewall test -->/.exec(page)?.[1] ?? "";
  const block = (language: string) => section.match(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``))?.[1] ?? "";
  const config = write("firewall.json", block("json"));
  const file = write("firewall.test.yaml", block("yaml"));
  const [, printed] = /^# prints (.+)$/m.exec(block("sh")) ?? [];
  const ended = await testFirewall(file, "--configuration", config);
  assert.deepEqual(ended, { code: 0, stdout: `${printed}\n`, stderr: "" });

  const inactive = block("json").replace('"active": true', '"active": false');
  const failed = await testFirewall(file, "--configuration", write("inactive.json", inactive));
  const [, line = ""] = /^```\nfirewall\.test\.yaml:(.*)$/m.exec(page) ?? [];
  assert.deepEqual(failed, { code: 1, stdout: `${file}:${line}\n2 of 3 as expected\n`, stderr: "" });
});

test("an unexpected decision has a line that says which rule decided and why", async () => {
  const expectations = [
    { name: "one", request: "/admin", expect: "allow" },
    { name: "two", request: "/other", expect: { action: "deny", rule: "Panel" } },
    { name: "three", request: "/old", expect: { action: "deny", rule: "Old" } },
    { name: "four", request: { url: "/key", headers: { "X-KEY": null } }, expect: "allow" },
    { name: "five", request: "/login", repeat: 2, expect: "rate_limit" },
    { name: "six", request: "/login", repeat: 3, expect: { action: "rate_limit", status: 403 } },
    { name: "seven", request: { url: "/", ip: "198.51.100.7" }, expect: { action: "challenge", rule: "None" } },
    { name: "eight", request: { url: "/", headers: { "User-Agent": "GPTBot/1.2" } }, expect: "allow" },
    { name: "nine", request: "/admin", expect: { action: "deny", rule: "Panel", status: 403 } },
    { name: "ten", request: "/login", repeat: 3, expect: { action: "rate_limit", rule: "Logins", status: 429 } },
  ];
  const defaults = { ip: "203.0.113.7", headers: { "x-key": "right" } };
  const lines = expectations.map((expectation) => `  - ${JSON.stringify(expectation)}`);
  const text = `configuration: ${JSON.stringify(configuration)}\ndefaults: ${JSON.stringify(defaults)}\nexpectations:\n${lines.join("\n")}\n`;
  const file = write("failing.yaml", text);
  const { code, stdout, stderr } = await testFirewall(file);
  assert.deepEqual([code, stderr], [1, ""]);
  const printed = stdout.trim().split("\n");
  const expected = [
    'one: expected allow, got deny 403: the rule "Panel": path eq "/admin" (was "/admin")',
    'two: expected deny by "Panel", got allow: nothing decided; the rule "Panel" did not match: path eq "/admin" (was "/other")',
    'three: expected deny by "Old", got allow: nothing decided; the rule "Old" is inactive',
    'four: expected allow, got deny 403: the rule "Key": path eq "/key" (was "/key") and not header x-key eq "right" (was none)',
    'five: expected rate_limit, got allow: nothing decided; the rule "Logins" is under its limit: path eq "/login" (was "/login"); count 2, limit 2',
    'six: expected rate_limit 403, got rate_limit 429: the rule "Logins": path eq "/login" (was "/login"); count 3, limit 2',
    'seven: expected challenge by "None", got challenge 403: the address entry ADDRESS: 198.51.100.7 on *; there is no "None"',
    'eight: expected allow, got deny 403: ai-crawler of the managed set ai_bots: user_agent was "GPTBot/1.2"; OpenAI GPT web crawler bot',
  ];
  assert.deepEqual(
    printed.map((line) => line.replace(/entry \w+/, "entry ADDRESS")),
    [...expected.map((line, index) => `${file}:${index + 4}: ${line}`), "2 of 10 as expected"],
  );
  const json = JSON.parse((await testFirewall(file, "--json")).stdout);
  assert.deepEqual([json.passed, json.failed, json.failures.length], [2, 8, 8]);
  const [{ name, line, decision, steps }] = json.failures;
  assert.deepEqual([name, line, decision.action, steps[0].outcome], ["one", 4, "deny", "matched"]);
});

test("attack challenge mode and bypasses are as the file says", async () => {
  const expectations = [
    { name: "challenged", request: "/", expect: { action: "challenge", status: 403 } },
    { name: "let through", request: { url: "/", ip: "10.1.2.3" }, expect: "allow" },
  ];
  const content = { configuration, attackMode: true, bypasses: [{ ip: "10.0.0.0/8" }], expectations };
  assert.equal((await testFirewall(write("attack.json", content))).code, 0);
});

test("an invalid file is refused with the line and the field of every error", async () => {
  const cases: [string, string[]][] = [
    ["a: [1\nb: 2", ["2: "]],
    [
      "configuration: {}\nexpectation: []\n",
      [
        "2: expectation: unknown key; did you mean expectations?",
        "1: expectations: expected a list with an expectation at least",
      ],
    ],
    [
      "configuration:\n  firewallEnabled: true\nexpectations:\n  - name: a\n    request: /\n    expect: block\n    repeat: 0\n  - request: []\n    expect: { action: deny, status: x }\n",
      [
        "7: expectations[0].repeat: expected an integer from 1 to 100000",
        "6: expectations[0].expect: expected one of allow, deny, challenge, redirect, rate_limit, bypass",
        "8: expectations[1].name: expected a name",
        "8: expectations[1].request: expected an object",
        "9: expectations[1].expect.status: expected an HTTP status, or null",
      ],
    ],
    [
      "configuration:\n  firewallEnabled: true\n  rules:\n    - name: x\n      active: yes please\nattackMode: 1\nexpectations:\n  - name: a\n    request:\n      url: 5\n    expect: deny\n",
      [
        "5: configuration.rules[0].active: expected true or false, got a string",
        `4: configuration.rules[0].conditionGroup: is required: an array, such as [{"conditions":[{"type":"path","op":"pre","value":"/admin"}]}]`,
        `4: configuration.rules[0].action: is required: an object, such as {"mitigate":{"action":"deny"}}`,
        "6: attackMode: expected true or false, got a number",
        "10: expectations[0].request.url: expected a string, got a number",
      ],
    ],
  ];
  for (const [text, faults] of cases) {
    const file = write("bad.yaml", text);
    const { code, stdout, stderr } = await testFirewall(file);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    const lines = stderr.replace("reeve: ", "").trim().split("\n");
    assert.equal(lines.length, faults.length, stderr);
    for (const [index, fault] of faults.entries()) {
      assert.ok(lines[index]?.startsWith(`${file}:${fault}`), `${lines[index]} is not ${fault}`);
    }
  }
  const file = write("good.yaml", "expectations: [{ name: a, request: /, expect: allow }]");
  const config = write("bad.json", '{\n  "firewallEnabled": true,\n  "rulez": []\n}\n');
  const foreign = await testFirewall(file, "--configuration", config);
  assert.deepEqual(
    [foreign.code, foreign.stderr],
    [2, `reeve: ${config}:3: rulez: unknown key; did you mean rules?\n`],
  );
  const none = await testFirewall(file, "--json");
  assert.deepEqual([none.code, JSON.parse(none.stderr).error.code], [2, "usage"]);
  assert.equal((await testFirewall(join(folder, "missing.yaml"))).code, 2);
  const twice = await testFirewall(write("own.json", { configuration, expectations: [{}] }), "--team", "acme");
  assert.equal(twice.code, 2);
});

test("a stored configuration is tested beside a running server: active, a version, or the draft", async () => {
  const server = await serveReeve(settings);
  const request = async (method: string, path: string, body: unknown) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.equal(response.status, 200);
  };
  await request("POST", "/v1/teams", { slug: "acme" });
  await request("PUT", "/v1/firewalls?slug=acme&projectId=shop", configuration);
  const insert = { action: "rules.insert", value: deny("New", "/new") };
  await request("PATCH", "/v1/firewalls/draft?slug=acme&projectId=shop", insert);
  await request("PUT", "/v1/firewalls", { firewallEnabled: true, rules: [deny("Own", "/new")] });
  const file = write(
    "stored.yaml",
    "expectations: [{ name: a, request: /new, expect: { action: deny, status: 403 } }]",
  );
  const run = (...flags: string[]) => runReeve(["firewall", "test", file, ...flags], settings);
  const shop = ["--team", "acme", "--project", "shop"];
  const codes = [];
  for (const flags of [shop, [...shop, "--version", "1"], [...shop, "--version", "draft"], ["--user", "admin"]]) {
    codes.push((await run(...flags)).code);
  }
  assert.deepEqual(codes, [1, 1, 0, 0]);
  const missing = await run(...shop, "--version", "9");
  assert.deepEqual([missing.code, missing.stderr.split(":", 2)], [6, ["reeve", " Firewall configuration not found"]]);
  await server.stop();
});
