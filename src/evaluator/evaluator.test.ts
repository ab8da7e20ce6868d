import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configurationOf, entryOf, evaluationOf, outcomeOf, ruleOf } from "../../test/evaluation.ts";
import { CRS_CATEGORIES } from "./config.ts";
import type { Condition, Configuration, CrsCategory, Mitigation } from "./config.ts";

const onPath = (value: string): Condition => ({ type: "path", op: "pre", value });

describe("the order of rules", () => {
  it("is theirs: the first that decides does, and those before it are noted", () => {
    const { decide } = evaluationOf(
      configurationOf({
        rules: [
          ruleOf("plain", undefined, [onPath("/a")]),
          ruleOf("log", { action: "log" }),
          { ...ruleOf("off", { action: "deny" }), active: false },
          ruleOf("deny", { action: "deny" }, [onPath("/a/b")], [onPath("/c")]),
          ruleOf("challenge", { action: "challenge" }, [onPath("/a")]),
        ],
      }),
    );
    assert.deepEqual(decide({ url: "/a/b" }), {
      action: "deny",
      status: 403,
      by: { phase: "rule", id: "deny", name: "rule deny" },
      logged: [
        { phase: "rule", id: "plain", name: "rule plain" },
        { phase: "rule", id: "log", name: "rule log" },
      ],
    });
    assert.deepEqual(outcomeOf(decide({ url: "/c" })), "deny by deny");
    assert.deepEqual(outcomeOf(decide({ url: "/a" })), "challenge by challenge");
    assert.deepEqual(decide({ url: "/" }), {
      action: "allow",
      status: null,
      by: null,
      logged: [{ phase: "rule", id: "log", name: "rule log" }],
    });
  });

  it("holds across more rules than a word has bits", () => {
    const rules = Array.from({ length: 100 }, (_, at) => ruleOf(`r${at}`, { action: "log" }, [onPath(`/${at % 7}`)]));
    const { decide } = evaluationOf(configurationOf({ rules }));
    const ids = decide({ url: "/3/x" }).logged.map(({ id }) => id);
    assert.deepEqual(
      ids,
      rules.filter((_, at) => at % 7 === 3).map(({ id }) => id),
    );
  });

  it("redirects", () => {
    const redirect = (permanent: boolean): Mitigation => ({
      action: "redirect",
      redirect: { location: "/to", permanent },
    });
    const { decide } = evaluationOf(
      configurationOf({ rules: [ruleOf("p", redirect(true), [onPath("/p")]), ruleOf("t", redirect(false))] }),
    );
    const by = (id: string) => ({ phase: "rule", id, name: `rule ${id}` });
    assert.deepEqual(decide({ url: "/p" }), {
      action: "redirect",
      status: 301,
      location: "/to",
      by: by("p"),
      logged: [],
    });
    assert.deepEqual(decide({ url: "/" }), {
      action: "redirect",
      status: 307,
      location: "/to",
      by: by("t"),
      logged: [],
    });
  });

  it("is cut short by a bypass, and with bypassSystem the managed sets too", () => {
    const managedRules = { bot_protection: { active: true, action: "deny" } } as const;
    const bypass = (bypassSystem: boolean | null) =>
      configurationOf({
        managedRules,
        rules: [ruleOf("by", { action: "bypass", bypassSystem }, [onPath("/a")]), ruleOf("deny", { action: "deny" })],
      });
    const system = evaluationOf(bypass(true)).decide({ url: "/a" });
    assert.deepEqual(system, {
      action: "bypass",
      status: null,
      by: { phase: "rule", id: "by", name: "rule by" },
      logged: [],
    });
    // Without a user agent, bot protection fires.
    assert.equal(outcomeOf(evaluationOf(bypass(null)).decide({ url: "/a" })), "deny by bot_protection");
    const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
    assert.equal(outcomeOf(evaluationOf(bypass(null)).decide({ url: "/a", headers })), "bypass by by");
    assert.equal(outcomeOf(evaluationOf(bypass(true)).decide({ url: "/" })), "deny by deny");
  });

  it("ends before it begins where the configuration is disabled", () => {
    const configuration = configurationOf({
      firewallEnabled: false,
      ips: [entryOf("ip", "0.0.0.0/0", "deny")],
      rules: [ruleOf("deny", { action: "deny" })],
    });
    const { decision, steps } = evaluationOf(configuration).explain({ url: "/", ip: "1.1.1.1" });
    assert.deepEqual(decision, { action: "allow", status: null, by: null, logged: [] });
    assert.deepEqual(steps, []);
  });
});

describe("address entries", () => {
  const ips = [
    entryOf("all", "10.0.0.0/8", "deny"),
    entryOf("below", "10.1.0.0/16", "challenge", "*.Example.com"),
    entryOf("star", "10.1.0.0/16", "log", "*"),
    entryOf("whole", "10.1.0.0/16", "bypass", "A.example.com"),
    entryOf("later", "10.1.0.0/16", "deny", "a.example.com"),
    entryOf("six", "2001:db8::/32", "deny"),
    entryOf("none", "nonsense", "deny"),
  ];
  const at = (ip: string, host?: string) => ({ url: "/", ip, ...(host !== undefined && { headers: { host } }) });

  it("come by the longest prefix, then by how particular their host is, then in order", () => {
    const { decide } = evaluationOf(configurationOf({ ips, rules: [ruleOf("rule", { action: "deny" })] }));
    assert.equal(outcomeOf(decide(at("10.1.2.3", "a.example.com"))), "bypass by whole");
    assert.equal(outcomeOf(decide(at("10.1.2.3", "b.example.com"))), "challenge by below");
    assert.equal(outcomeOf(decide(at("10.1.2.3", "example.com"))), "deny by all");
    assert.deepEqual(decide(at("10.1.2.3")).logged, [{ phase: "ip", id: "star", name: null }]);
    assert.equal(outcomeOf(decide(at("10.2.0.0"))), "deny by all");
    assert.equal(outcomeOf(decide(at("2001:db8::1"))), "deny by six");
    assert.equal(outcomeOf(decide(at("11.0.0.0"))), "deny by rule");
    assert.equal(outcomeOf(decide({ url: "/" })), "deny by rule");
  });

  it("that bypass leave the managed sets", () => {
    const { decide } = evaluationOf(
      configurationOf({ ips: [entryOf("by", "::/0", "bypass")], managedRules: { bot_protection: { active: true } } }),
    );
    assert.equal(outcomeOf(decide(at("::1"))), "challenge by bot_protection");
  });
});

describe("attack challenge mode", () => {
  const deny = ruleOf("deny", { action: "deny" }, [onPath("/deny")]);
  const rules = [
    ruleOf("log", { action: "log" }),
    ruleOf("limit", {
      action: "rate_limit",
      rateLimit: { algo: "fixed_window", window: 60, limit: 1, keys: [], action: "bypass" },
      bypassSystem: true,
    }),
    deny,
    ruleOf("by", { action: "bypass" }, [onPath("/by")]),
    ruleOf("system", { action: "bypass", bypassSystem: true }, [onPath("/")]),
  ];

  it("challenges all but what a rule excepts", () => {
    const { decide } = evaluationOf(configurationOf({ rules: rules.slice(0, 4) }), {
      isAttackMode: true,
      bypasses: [],
    });
    const challenged = {
      action: "challenge",
      status: 403,
      by: { phase: "attack_mode", id: null, name: null },
      logged: [],
    };
    assert.deepEqual(decide({ url: "/" }), challenged);
    assert.deepEqual(decide({ url: "/deny" }), challenged);
    const excepting = evaluationOf(configurationOf({ rules }), { isAttackMode: true, bypasses: [] });
    assert.equal(excepting.decide({ url: "/deny" }).by?.phase, "attack_mode");
    assert.equal(excepting.decide({ url: "/by" }).by?.phase, "attack_mode");
    assert.equal(outcomeOf(excepting.decide({ url: "/x" })), "bypass by system");
    const disabled = configurationOf({ firewallEnabled: false, rules });
    assert.deepEqual(evaluationOf(disabled, { isAttackMode: true, bypasses: [] }).decide({ url: "/x" }), challenged);
  });

  it("leaves alone whom the bypass list names; the steps behind it do not", () => {
    const bypasses = [
      { domain: "A.example.com", ip: null },
      { domain: "*.b.example.com", ip: "10.0.0.0/8" },
      { domain: "*", ip: "11.0.0.0/8" },
      { domain: null, ip: "2001:db8::/32" },
      { domain: "c.example.com", ip: "10.0.0.0/8" },
    ];
    const { decide } = evaluationOf(configurationOf({ rules: [deny] }), { isAttackMode: true, bypasses });
    const action = (ip: string | undefined, host: string | undefined, url = "/") =>
      decide({ url, ...(ip !== undefined && { ip }), ...(host !== undefined && { headers: { host } }) }).action;
    assert.equal(action(undefined, "a.EXAMPLE.com:443"), "allow");
    assert.equal(action("10.1.1.1", "x.b.example.com"), "allow");
    assert.equal(action("10.1.1.1", "b.example.com"), "challenge");
    assert.equal(action("12.1.1.1", "x.b.example.com"), "challenge");
    assert.equal(action("11.1.1.1", undefined), "allow");
    assert.equal(action("2001:db8::1", undefined), "allow");
    assert.equal(action(undefined, undefined), "challenge");
    assert.equal(action("10.1.1.1", "c.example.com"), "allow");
    assert.equal(action("2001:db8::1", undefined, "/deny"), "deny");
    const forAll = { isAttackMode: true, bypasses: [{ domain: null, ip: null }] };
    assert.equal(evaluationOf(configurationOf({}), forAll).decide({ url: "/" }).action, "allow");
  });
});

type Switches = NonNullable<Configuration["crs"]>;

describe("managed sets", () => {
  const categories = (active: readonly CrsCategory[], action: "deny" | "log" = "log"): Switches =>
    Object.fromEntries(CRS_CATEGORIES.map((id) => [id, { active: active.includes(id), action }])) as Switches;
  const injection = { url: "/?q=1'+union+select+password+from+users--&f=../../../../etc/passwd" };

  it("come behind the rules, in their order, each once", () => {
    const { decide } = evaluationOf(
      configurationOf({
        rules: [ruleOf("log", { action: "log" })],
        managedRules: { bot_protection: { active: true, action: "log" }, owasp: { active: true, action: "deny" } },
        crs: categories(["sqli", "lfi"]),
      }),
    );
    const { action, logged } = decide(injection);
    assert.equal(action, "allow");
    assert.deepEqual(
      logged.map(({ phase, id }) => [phase, id]),
      [
        ["rule", "log"],
        ["managed", "bot_protection"],
        ["managed", "lfi"],
        ["managed", "sqli"],
      ],
    );
    for (const { phase, name } of logged) assert.ok(phase === "rule" || name, "a signature is named");
  });

  it("do what they are switched to, or their default", () => {
    const of = (parts: Partial<Configuration>) => outcomeOf(evaluationOf(configurationOf(parts)).decide(injection));
    assert.equal(of({ managedRules: { bot_protection: { active: true } } }), "challenge by bot_protection");
    assert.equal(of({ managedRules: { bot_protection: { active: true, action: "deny" } } }), "deny by bot_protection");
    assert.equal(of({ managedRules: { bot_protection: { active: false, action: "deny" } } }), "allow");
    assert.equal(of({ crs: categories(["sqli"], "deny") }), "deny by sqli");
    assert.equal(of({ crs: categories(["sqli"], "deny"), managedRules: { owasp: { active: false } } }), "allow");
    assert.equal(of({ crs: categories([], "deny") }), "allow");
    assert.equal(of({ crs: null, managedRules: {} }), "allow");
  });

  it("pass over signatures that are switched off, and take the action of one that has its own", () => {
    const switched = (ruleGroups: Record<string, { active: boolean; action?: "log" | "challenge" | "deny" }>) =>
      evaluationOf(configurationOf({ managedRules: { bot_protection: { active: true, ruleGroups } } })).decide({
        url: "/",
      });
    const name = switched({}).by?.name ?? "";
    assert.equal(switched({ [name]: { active: true, action: "deny" } }).action, "deny");
    assert.notEqual(switched({ [name]: { active: false, action: "deny" } }).by?.name, name);
    assert.equal(switched({ constructor: { active: false } }).by?.name, name);
  });
});
