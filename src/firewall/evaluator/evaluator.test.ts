import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configurationOf, entryOf, evaluationOf, outcomeOf, ruleOf } from "../../../test/resources/evaluation.ts";
import crawlers from "crawler-user-agents";
import { CRS_CATEGORIES, ENFORCED_BY, MANAGED_SETS } from "./config.ts";
import type { Condition, Configuration, Mitigation } from "./config.ts";
import { ENFORCED } from "./managed.ts";

const onPath = (value: string): Condition => ({ type: "path", op: "pre", value });

describe("rules", () => {
  it("are evaluated in order: the first that decides ends it, and those that log before it are recorded", () => {
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

  it("keep their order when there are more than 32", () => {
    const rules = Array.from({ length: 100 }, (_, at) => ruleOf(`r${at}`, { action: "log" }, [onPath(`/${at % 7}`)]));
    const { decide } = evaluationOf(configurationOf({ rules }));
    const ids = decide({ url: "/3/x" }).logged.map(({ id }) => id);
    assert.deepEqual(
      ids,
      rules.filter((_, at) => at % 7 === 3).map(({ id }) => id),
    );
  });

  it("redirect", () => {
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

  it("redirect to what a header can hold", () => {
    const located = (location: string) =>
      evaluationOf(
        configurationOf({ rules: [ruleOf("r", { action: "redirect", redirect: { location, permanent: false } })] }),
      ).decide({ url: "/" }).location;
    assert.equal(located("/a%20b?c=\u65e5\u672c\u{1f600}#d"), "/a%20b?c=%E6%97%A5%E6%9C%AC%F0%9F%98%80#d");
    assert.equal(located("/\r\n\ud800"), "/%0D%0A%EF%BF%BD");
  });

  it("are skipped after a bypass, and with bypassSystem so are the managed sets", () => {
    const managedRules = { bot_protection: { active: true, action: "deny" } } as const;
    const bypass = (bypassSystem: boolean | null) =>
      configurationOf({
        managedRules,
        rules: [ruleOf("by", { action: "bypass", bypassSystem }, [onPath("/a")]), ruleOf("deny", { action: "deny" })],
      });
    const curl = { url: "/a", headers: { "user-agent": "curl/8.5.0" } };
    const system = evaluationOf(bypass(true)).decide(curl);
    assert.deepEqual(system, {
      action: "bypass",
      status: null,
      by: { phase: "rule", id: "by", name: "rule by" },
      logged: [],
    });
    assert.equal(outcomeOf(evaluationOf(bypass(null)).decide(curl)), "deny by bot_protection");
    const headers = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };
    assert.equal(outcomeOf(evaluationOf(bypass(null)).decide({ url: "/a", headers })), "bypass by by");
    assert.equal(outcomeOf(evaluationOf(bypass(true)).decide({ url: "/" })), "deny by deny");
  });

  it("are not evaluated when the configuration is disabled", () => {
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

  it("are evaluated by the longest prefix, then by the most specific host, then in order", () => {
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

  it("that bypass do not skip the managed sets", () => {
    const { decide } = evaluationOf(
      configurationOf({ ips: [entryOf("by", "::/0", "bypass")], managedRules: { bot_protection: { active: true } } }),
    );
    const curl = { ...at("::1"), headers: { "user-agent": "curl/8.5.0" } };
    assert.equal(outcomeOf(decide(curl)), "challenge by bot_protection");
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

  it("challenges every request that no rule lets bypass it", () => {
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

  it("does not challenge clients on the bypass list; the later steps still apply", () => {
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

describe("managed sets", () => {
  const all = (parts: object) => Object.fromEntries(MANAGED_SETS.map((id) => [id, { active: true, ...parts }]));
  const crs = Object.fromEntries(CRS_CATEGORIES.map((id) => [id, { active: true, action: "deny" }])) as NonNullable<
    Configuration["crs"]
  >;
  const from = (userAgent: string | string[]) => ({
    url: "/?q=1'+union+select+password+from+users--&f=../../../../etc/passwd",
    headers: { "user-agent": userAgent },
  });
  const decided = (parts: Partial<Configuration>, userAgent: string | string[]) =>
    evaluationOf(configurationOf(parts)).decide(from(userAgent));

  it("are evaluated after the rules, in order, each once; sets that nothing enforces never match", () => {
    const rules = [ruleOf("log", { action: "log" })];
    const { action, logged } = decided(
      { rules, crs, managedRules: all({ action: "log" }) },
      "curl/8.5.0 AhrefsBot/7.0 GPTBot/1.2 python-requests/2.31",
    );
    assert.equal(action, "allow");
    assert.deepEqual(
      logged.map(({ phase, id, name }) => [phase, id, name]),
      [
        ["rule", "log", "rule log"],
        ["managed", "bot_protection", "http-library"],
        ["managed", "bot_filter", "seo"],
        ["managed", "ai_bots", "ai-crawler"],
      ],
    );
  });

  it("match any of several user agents", () => {
    const { action, by } = decided({ managedRules: all({ action: "deny" }) }, ["Mozilla/5.0", "GPTBot/1.2"]);
    assert.deepEqual([action, by?.id], ["deny", "ai_bots"]);
  });

  it("do not match browsers, search engines and requests without a user agent", () => {
    const chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0";
    const google = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
    for (const agent of [chrome, google, ""])
      assert.equal(outcomeOf(decided({ managedRules: all({}) }, agent)), "allow");
    const { decide } = evaluationOf(configurationOf({ managedRules: all({}) }));
    assert.equal(outcomeOf(decide({ url: "/" })), "allow");
  });

  it("take their configured action, or their default", () => {
    const of = (managedRules: NonNullable<Configuration["managedRules"]>) =>
      outcomeOf(decided({ managedRules }, "curl/8.5.0"));
    assert.equal(of({ bot_protection: { active: true } }), "challenge by bot_protection");
    assert.equal(of({ bot_protection: { active: true, action: "deny" } }), "deny by bot_protection");
    assert.equal(of({ bot_protection: { active: false, action: "deny" } }), "allow");
    assert.equal(outcomeOf(decided({ managedRules: { ai_bots: { active: true } } }, "GPTBot/1.2")), "deny by ai_bots");
  });

  it("skip inactive groups, and take the action of a group that has its own", () => {
    const switched = (ruleGroups: Record<string, { active: boolean; action?: "log" | "challenge" | "deny" }>) =>
      decided({ managedRules: { bot_protection: { active: true, ruleGroups } } }, "curl/8.5.0 HeadlessChrome/131.0");
    assert.equal(switched({}).by?.name, "http-library");
    assert.equal(switched({ "http-library": { active: true, action: "deny" } }).action, "deny");
    assert.equal(switched({ "http-library": { active: false, action: "deny" } }).by?.name, "browser-automation");
    assert.equal(switched({ constructor: { active: false } }).by?.name, "http-library");
  });

  it("match every entry of the list by its own example user agents", () => {
    const listed = crawlers as readonly { instances: readonly string[]; tags?: readonly string[] }[];
    const { decide } = evaluationOf(configurationOf({ managedRules: all({ action: "log" }) }));
    const tags = new Set(ENFORCED.flatMap((set) => set.tags));
    let seen = 0;
    for (const entry of listed.filter((one) => one.tags?.some((tag) => tags.has(tag)))) {
      for (const agent of entry.instances) {
        seen++;
        assert.notEqual(decide(from(agent)).logged.length, 0, agent);
      }
    }
    assert.ok(seen > 1_000, String(seen));
  });

  it("are enforced by the package that enforcedBy names", () => {
    const enforced = Object.entries(ENFORCED_BY.managedRules).filter(([, by]) => by !== null);
    assert.deepEqual(
      enforced.map(([set]) => set),
      ENFORCED.map(({ id }) => id),
    );
  });
});
