// The actions of rules with every parameter, within and beyond its limits; and the other small members of rules, address
// entries and shared conditions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RULE_ACTIONS } from "../evaluator/config.ts";
import { denyPath, errorsOf, openFirewall, saidBy } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const firewall = openFirewall(client, (await client.createUser()).token);

/** A value of a part of the configuration, and the expected errors below that part; none: it is accepted. */
type Case = readonly [value: unknown, ...errors: string[]];

async function check(
  cases: readonly Case[],
  make: (value: never) => object,
  at: string,
  read: (said: Body) => unknown,
) {
  for (const [value, ...errors] of cases) {
    const response = await firewall.put({ firewallEnabled: true, ...make(value as never) });
    const shown = JSON.stringify(value)?.slice(0, 200);
    if (errors.length === 0) {
      assert.equal(response.status, 200, `${shown}: ${response.text}`);
      assert.deepEqual(read(saidBy(response.body.active)), value, shown);
    } else {
      assert.deepEqual(
        errorsOf(response),
        errors.map((error) => at + error),
        shown,
      );
    }
  }
}

const checkMitigations = (cases: readonly Case[]) =>
  check(
    cases,
    (mitigate) => ({ rules: [denyPath("a", { action: { mitigate } })] }),
    "body.rules[0].action.mitigate",
    ({ rules }) => rules[0].action.mitigate,
  );

const RATE = { algo: "fixed_window", window: 60, limit: 100, keys: ["ip"] };
const REDIRECT = { location: "/elsewhere", permanent: false };
const needed = (action: string) => ({
  action,
  ...(action === "rate_limit" && { rateLimit: RATE }),
  ...(action === "redirect" && { redirect: REDIRECT }),
});

test("each action is accepted by itself, with nulls for unset members, as some clients send them", async () => {
  await checkMitigations([
    ...RULE_ACTIONS.flatMap((action): Case[] => [
      [needed(action)],
      [
        {
          rateLimit: null,
          redirect: null,
          actionDuration: null,
          bypassSystem: null,
          logHeaders: null,
          ...needed(action),
        },
      ],
    ]),
    [{}, ".action"],
    [{ action: "allow" }, ".action"],
    [{ action: "Deny" }, ".action"],
    [{ action: null }, ".action"],
    [null, ""],
    ["deny", ""],
    [{ action: "deny", status: 403 }, ".status"],
  ]);
});

test("parameters are accepted with their own action only", async () => {
  const holding = ["deny", "challenge", "rate_limit"];
  await checkMitigations([
    ...RULE_ACTIONS.flatMap((action): Case[] => {
      const base = needed(action);
      return [
        action === "rate_limit" ? [base] : [{ ...base, rateLimit: RATE }, ".rateLimit"],
        action === "redirect" ? [base] : [{ ...base, redirect: REDIRECT }, ".redirect"],
        holding.includes(action)
          ? [{ ...base, actionDuration: "5m" }]
          : [{ ...base, actionDuration: "5m" }, ".actionDuration"],
        action === "bypass" ? [{ ...base, bypassSystem: true }] : [{ ...base, bypassSystem: true }, ".bypassSystem"],
        [{ ...base, bypassSystem: false }],
        [{ ...base, logHeaders: "*" }],
      ];
    }),
    [{ action: "rate_limit" }, ".rateLimit"],
    [{ action: "rate_limit", rateLimit: null }, ".rateLimit"],
    [{ action: "redirect" }, ".redirect"],
    [{ action: "redirect", redirect: null }, ".redirect"],
    [{ action: "log", rateLimit: { ...RATE, window: 1 } }, ".rateLimit.window", ".rateLimit"],
  ]);
});

test("rate limits have an algorithm, a window, a limit, keys and an action", async () => {
  const rate = (more: object, ...errors: string[]): Case => [
    { action: "rate_limit", rateLimit: { ...RATE, ...more } },
    ...errors.map((error) => `.rateLimit${error}`),
  ];
  const keys = [..."ip ja3 ja4 host path method user_agent geo_country geo_as_number".split(" "), "header:X-Key"];
  await checkMitigations([
    rate({ algo: "token_bucket" }),
    rate({ algo: "leaky" }, ".algo"),
    rate({ window: 10 }),
    rate({ window: 3_600 }),
    rate({ window: 9 }, ".window"),
    rate({ window: 3_601 }, ".window"),
    rate({ window: 10.5 }, ".window"),
    rate({ window: "60" }, ".window"),
    rate({ limit: 1 }),
    rate({ limit: 10_000_000 }),
    rate({ limit: 0 }, ".limit"),
    rate({ limit: 10_000_001 }, ".limit"),
    rate({ keys }),
    rate({ keys: ["cookie:sid", "query:a"] }),
    rate({ keys: [] }, ".keys"),
    rate({ keys: "ip" }, ".keys"),
    rate({ keys: [...keys, "ip"] }, ".keys"),
    rate(
      { keys: ["ip", "IP", "header:", "header:a b", "cookie", 5] },
      ".keys[1]",
      ".keys[2]",
      ".keys[3]",
      ".keys[4]",
      ".keys[5]",
    ),
    ...["log", "challenge", "deny", "rate_limit", "bypass", null].map((action) => rate({ action })),
    rate({ action: "redirect" }, ".action"),
    rate({ burst: 5 }, ".burst"),
    [
      { action: "rate_limit", rateLimit: {} },
      ".rateLimit.algo",
      ".rateLimit.window",
      ".rateLimit.limit",
      ".rateLimit.keys",
    ],
    [{ action: "rate_limit", rateLimit: [] }, ".rateLimit"],
  ]);
});

test("redirects have a path or an HTTP URL, durations are from a list, and logged headers are names", async () => {
  const redirect = (location: unknown, ...errors: string[]): Case => [
    { action: "redirect", redirect: { location, permanent: true } },
    ...errors.map((error) => `.redirect${error}`),
  ];
  await checkMitigations([
    ...["/", "/a?b=c#d", "http://a.test", "https://a.test/x"].map((location) => redirect(location)),
    ...["", "a", "//", "ftp://a.test", "javascript:alert(1)", "/a b", "/\u65e5\u672c", "/\u007f", "https:/a", 5, null]
      // Two slashes begin with one slash, so they are accepted.
      .map((location) => (location === "//" ? redirect(location) : redirect(location, ".location"))),
    redirect(`/${"a".repeat(2_047)}`),
    redirect(`/${"a".repeat(2_048)}`, ".location"),
    [{ action: "redirect", redirect: { location: "/" } }, ".redirect.permanent"],
    [{ action: "redirect", redirect: { location: "/", permanent: 1 } }, ".redirect.permanent"],
    ...["1m", "5m", "15m", "30m", "1h"].map((actionDuration): Case => [{ action: "deny", actionDuration }]),
    ...["", "2m", "1H", 60].map((actionDuration): Case => [{ action: "deny", actionDuration }, ".actionDuration"]),
    ...["*", [], ["X-One", "x-two"]].map((logHeaders): Case => [{ action: "log", logHeaders }]),
    [{ action: "log", logHeaders: "a b" }, ".logHeaders"],
    [{ action: "log", logHeaders: ["x", "*?", 1, ""] }, ".logHeaders[1]", ".logHeaders[2]", ".logHeaders[3]"],
    [{ action: "log", logHeaders: true }, ".logHeaders"],
    [{ action: "bypass", bypassSystem: "true" }, ".bypassSystem"],
  ]);
});

test("a rule has a name, is active or not, and may have a description", async () => {
  const rule = (more: object, ...errors: string[]): Case => [denyPath("a", { id: "r", ...more }), ...errors];
  const without = (name: string): Case => {
    const { [name]: _left, ...rest } = denyPath("a", { id: "r" });
    return [rest, `.${name}`];
  };
  await check(
    [
      ...["name", "active", "conditionGroup", "action"].map(without),
      rule({ name: "n".repeat(160) }),
      rule({ name: "n".repeat(161) }, ".name"),
      rule({ name: "" }, ".name"),
      rule({ name: 5 }, ".name"),
      rule({ description: null }),
      rule({ description: "" }),
      rule({ description: "d".repeat(260) }),
      rule({ description: "d".repeat(261) }, ".description"),
      rule({ active: "yes" }, ".active"),
      rule({ active: null }, ".active"),
      rule({ action: {} }),
      rule({ action: { deny: true } }, ".action.deny"),
      rule({ conditionGroup: [] }),
      rule({ conditionGroup: [{ conditions: [] }] }, ".conditionGroup[0].conditions"),
      rule({ conditionGroup: [{}] }, ".conditionGroup[0].conditions"),
      rule({ conditionGroup: {} }, ".conditionGroup"),
      rule({ id: "i".repeat(128) }),
      rule({ id: "A-1_b.c:d@e#f" }),
      rule({ id: "i".repeat(129) }, ".id"),
      rule({ id: "" }, ".id"),
      rule({ id: "a b" }, ".id"),
      rule({ id: null }, ".id"),
      rule({ priority: 1 }, ".priority"),
    ],
    (one) => ({ rules: [one] }),
    "body.rules[0]",
    ({ rules }) => rules[0],
  );
});

test("an address entry has a network that is not too wide, and a host pattern", async () => {
  const entry = (more: object, ...errors: string[]): Case => [
    { id: "e", hostname: "*", ip: "192.0.2.1", action: "deny", ...more },
    ...errors,
  ];
  await check(
    [
      ...["deny", "challenge", "log", "bypass"].map((action) => entry({ action })),
      entry({ action: "allow" }, ".action"),
      ...["example.com", "*.example.com", "LOCALHOST"].map((hostname) => entry({ hostname })),
      ...["", "*.", "*.*", "a.*", "https://a.test", "a.test:80", null].map((hostname) =>
        entry({ hostname }, ".hostname"),
      ),
      ...["192.0.2.0/24", "10.1.2.3/16", "2001:db8::/48", "2001:db8::1"].map((ip) => entry({ ip })),
      ...["10.0.0.0/15", "0.0.0.0/0", "2001:db8::/47", "::/0", "", "example.com", "1.2.3", 16].map((ip) =>
        entry({ ip }, ".ip"),
      ),
      entry({ notes: null }),
      entry({ notes: "n".repeat(500) }),
      entry({ notes: "n".repeat(501) }, ".notes"),
      entry({ note: "n" }, ".note"),
      [{ action: "deny" }, ".hostname", ".ip"],
    ],
    (one) => ({ ips: [one] }),
    "body.ips[0]",
    ({ ips }) => ips[0],
  );
});

test("the members of the configuration have their types", async () => {
  const crs = (one: unknown) => ({ crs: { xss: one } });
  const whole: readonly (readonly [more: object, ...errors: string[]])[] = [
    [{ firewallEnabled: "true" }, "firewallEnabled"],
    [{ firewallEnabled: undefined }, "firewallEnabled"],
    [{ botIdEnabled: null }, "botIdEnabled"],
    [{ ja3Enabled: 1 }, "ja3Enabled"],
    [{ ja4Enabled: "" }, "ja4Enabled"],
    [{ logHeaders: null }, "logHeaders"],
    [{ rulesets: "x" }, "rulesets"],
    [{ rulesets: null }, "rulesets"],
    [{ rules: {} }, "rules"],
    [{ rules: null }, "rules"],
    [{ ips: "" }, "ips"],
    [{ conditions: null }, "conditions"],
    [{ crs: [] }, "crs"],
    [{ crs: { all: { active: true, action: "log" } } }, "crs.all"],
    [crs({ active: true }), "crs.xss.action"],
    [crs({ active: 1, action: "challenge" }), "crs.xss.active", "crs.xss.action"],
    [crs(null), "crs.xss"],
    [{ managedRules: null }, "managedRules"],
    [{ managedRules: { ai_bots: {} } }, "managedRules.ai_bots.active"],
    [{ managedRules: { ai_bots: { active: true, action: "bypass" } } }, "managedRules.ai_bots.action"],
    [{ managedRules: { ai_bot: { active: true } } }, "managedRules.ai_bot"],
    [
      { managedRules: { owasp: { active: true, ruleGroups: { xss: {} } } } },
      "managedRules.owasp.ruleGroups.xss.active",
    ],
    [{ note: "n".repeat(501) }, "note"],
    [{ expectedVersion: -1 }, "expectedVersion"],
    [{ expectedVersion: "1" }, "expectedVersion"],
    [{ enabled: true }, "enabled"],
  ];
  for (const [more, ...errors] of whole) {
    assert.deepEqual(
      errorsOf(await firewall.put({ firewallEnabled: true, ...more })),
      errors.map((error) => `body.${error}`),
      JSON.stringify(more),
    );
  }
  for (const body of [undefined, "[]", "5", "null", '"x"'])
    assert.deepEqual(errorsOf(await firewall.put(body)), ["body"]);
});
